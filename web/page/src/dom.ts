// dom.ts: elements from code. Text of files only ever becomes text nodes.
// SPDX-License-Identifier: MIT

type Child = Node | string | null | undefined | false;

type Props = {
    class?: string;
    title?: string;
    on?: Record<string, (event: any) => void>;
    attrs?: Record<string, string | number | boolean | undefined>;
};

/** `el("button.primary", {on: {click}}, "Open")` */
export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    if (props.class) element.className = props.class;
    if (props.title) element.title = props.title;
    for (const [name, value] of Object.entries(props.attrs ?? {}))
        if (value !== undefined && value !== false)
            element.setAttribute(name, value === true ? "" : String(value));
    for (const [name, listener] of Object.entries(props.on ?? {}))
        element.addEventListener(name, listener);
    element.append(...children.filter((child): child is Node | string => !!child));
    return element;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
    return document.getElementById(id) as T;
}

export function fill(element: Element, ...children: Child[]) {
    element.replaceChildren(...children.filter((child): child is Node | string => !!child));
}

export function button(label: string, click: () => void, props: Props = {}) {
    return el("button", { ...props, attrs: { type: "button", ...props.attrs },
                          on: { click, ...props.on } }, label);
}

/** A labelled select of [value, text] pairs. */
export function select(label: string, options: [string, string][], change: (value: string) => void) {
    const list = el("select", { attrs: { "aria-label": label },
                                on: { change: () => change(list.value) } });
    for (const [value, text] of options) list.append(new Option(text, value));
    return list;
}

export function checkbox(label: string, checked: boolean, change: (checked: boolean) => void,
                         title?: string) {
    const box = el("input", { attrs: { type: "checkbox" },
                              on: { change: () => change(box.checked) } });
    box.checked = checked;
    return el("label", { class: "check", title }, box, label);
}

/** A list of terms and what they are. */
export function facts(pairs: [string, string][]) {
    const list = el("dl", { class: "facts" });
    for (const [term, text] of pairs) list.append(el("dt", {}, term), el("dd", {}, text));
    return list;
}

export function hint(text: string) {
    return el("p", { class: "hint" }, text);
}
