import path from 'node:path'

/**
 * ESLint rule: the folders of a folder are layers, and each imports only from those before it. Files beside them are
 * above them all. The option has the layers, lowest first, by the folder that they are in.
 */
export const layersRule = {
  meta: { type: 'problem', schema: [{ type: 'object' }] },
  create(context) {
    const [layersOf] = context.options
    const file = split(context.cwd, context.filename)
    const check = (source) => {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return
      const imported = split(context.cwd, path.resolve(path.dirname(context.filename), source.value))
      const message = findProblem(layersOf, file, imported)
      if (message !== undefined) context.report({ node: source, message })
    }
    return {
      ImportDeclaration: ({ source }) => check(source),
      ExportAllDeclaration: ({ source }) => check(source),
      ExportNamedDeclaration: ({ source }) => check(source),
      ImportExpression: ({ source }) => check(source),
      TSImportType: ({ source }) => check(source),
    }
  },
}

function split(folder, file) {
  return path.relative(folder, file).split(path.sep)
}

function findProblem(layersOf, file, imported) {
  for (const [folder, layers] of Object.entries(layersOf)) {
    const parts = folder.split('/')
    const isWithin = (other) => parts.every((part, index) => other[index] === part)
    if (!isWithin(file) || !isWithin(imported) || file.length === parts.length + 1) continue
    const [layer, other] = [file[parts.length], imported[parts.length]]
    if (layer === other) continue
    if (!layers.includes(layer)) return `Give ${folder}/${layer} its place in LAYERS of eslint.config.js.`
    const before = layers.slice(0, layers.indexOf(layer))
    if (!before.includes(other))
      return `${folder}/${layer} imports only from: ${before.join(', ') || 'no other folder'}.`
  }
  return undefined
}
