// gl_model.h: the buffers of a model in OpenGL 2.1, and how they are drawn in every frame.
// SPDX-License-Identifier: MIT

#define GL_GLEXT_PROTOTYPES
#include <SDL_opengl.h>
#include <stddef.h>
#include <tenon/gpu.h>

enum { GL_MODEL_MATRICES = 32, GL_MODEL_MESHES = 256 };

static const char *const gl_model_shaders[] = {
    "#version 120\n"
    "attribute vec3 position, normal; attribute vec4 color, joints, weights;"
    "uniform mat4 matrices[32]; uniform vec3 center; uniform float scale; varying vec4 shade;"
    "void main() {"
    "    mat4 skin = mat4(0.0);"
    "    for (int i = 0; i < 4; i++) skin += weights[i] * matrices[int(joints[i])];"
    "    vec3 p = ((skin * vec4(position, 1.0)).xyz - center) * scale;"
    "    gl_Position = vec4(p.xy, -p.z, 1.0);"  // Seen from +Z, without perspective.
    "    shade = vec4(color.rgb * (0.7 + 0.3 * normalize(mat3(skin) * normal).z), 1.0);"
    "}",
    "#version 120\nvarying vec4 shade; void main() { gl_FragColor = shade; }"};

static const struct {
    const char *name;
    GLint count;
    GLenum type;
    GLboolean is_normalized;
    size_t offset;
} gl_model_inputs[] = {
    {"position", 3, GL_FLOAT, GL_FALSE, offsetof(tenon_vertex, position)},
    {"normal", 3, GL_FLOAT, GL_FALSE, offsetof(tenon_vertex, normal)},
    {"color", 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(tenon_vertex, color)},
    {"joints", 4, GL_UNSIGNED_BYTE, GL_FALSE, offsetof(tenon_vertex, joints)},
    {"weights", 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(tenon_vertex, weights)},
};

typedef struct gl_model {
    GLuint program, vertices[GL_MODEL_MESHES], indices[GL_MODEL_MESHES];
} gl_model;

static void gl_model_fill(GLenum target, GLuint name, size_t size, const void *data)
{
    glBindBuffer(target, name);
    glBufferData(target, (GLsizeiptr)size, data, GL_STATIC_DRAW);
}

// Returns false if the card cannot run the program, or if there are too many meshes.
static bool gl_model_upload(gl_model *model, const tenon_buffers *buffers)
{
    GLint is_linked = 0;
    if (buffers->mesh_count > GL_MODEL_MESHES) return false;
    model->program = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i == 0 ? GL_VERTEX_SHADER : GL_FRAGMENT_SHADER);
        glShaderSource(shader, 1, &gl_model_shaders[i], NULL);
        glCompileShader(shader);
        glAttachShader(model->program, shader);
    }
    for (GLuint i = 0; i < 5; i++) glBindAttribLocation(model->program, i, gl_model_inputs[i].name);
    glLinkProgram(model->program);
    glGetProgramiv(model->program, GL_LINK_STATUS, &is_linked);
    glGenBuffers((GLsizei)buffers->mesh_count, model->vertices);
    glGenBuffers((GLsizei)buffers->mesh_count, model->indices);
    for (uint32_t i = 0; i < buffers->mesh_count; i++) {
        const tenon_gpu_mesh *mesh = &buffers->meshes[i];
        gl_model_fill(GL_ARRAY_BUFFER, model->vertices[i],
                      (size_t)mesh->vertex_count * buffers->stride, mesh->vertices);
        gl_model_fill(GL_ELEMENT_ARRAY_BUFFER, model->indices[i],
                      (size_t)mesh->index_count * mesh->index_size, mesh->indices);
    }
    return is_linked;
}
