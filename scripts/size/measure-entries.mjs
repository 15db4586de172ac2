import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

/**
 * The bytes of each built file that a published package's `exports` and `bin` name, and of all that is loaded with it from
 * the same build; undefined when one of them is not built.
 * @param {string} folder of the package
 */
export function measureEntries(folder) {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  if (manifest.private) return []
  const targets = [...new Set([manifest.exports, manifest.bin].flatMap(listTargets))]
  const built = targets.filter((target) => target.startsWith('./dist/'))
  if (!built.every((target) => existsSync(path.join(folder, target)))) return undefined
  return built.map((target) => measureEntry(target, path.join(folder, target)))
}

/** Every path in `exports` or `bin`, whatever conditions lead there. */
function listTargets(value) {
  if (typeof value === 'string') return [value]
  return Object.values(value ?? {}).flatMap(listTargets)
}

function measureEntry(entry, file) {
  const loaded = [...listLoaded(file)].map((each) => readFileSync(each).length)
  return {
    entry,
    bytes: loaded[0],
    loadedFiles: loaded.length,
    loadedBytes: loaded.reduce((sum, size) => sum + size),
  }
}

function listLoaded(file, known = new Set()) {
  if (known.has(file)) return known
  known.add(file)
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)
  for (const name of listEagerImports(source)) listLoaded(resolveBuilt(file, name), known)
  return known
}

/** Relative imports, and calls of `require` that run when the file is loaded. */
function listEagerImports(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return keepRelative(node.moduleSpecifier)
  if (ts.isCallExpression(node) && node.expression.getText() === 'require')
    return keepRelative(node.arguments[0])
  if (ts.isFunctionLike(node) && !isImmediatelyInvoked(node)) return []
  const found = []
  ts.forEachChild(node, (child) => void found.push(...listEagerImports(child)))
  return found
}

function keepRelative(name) {
  return name?.text?.startsWith('.') ? [name.text] : []
}

/** As in `(() => { … })()`. */
function isImmediatelyInvoked(node) {
  const { parent } = node
  return (
    ts.isParenthesizedExpression(parent) &&
    ts.isCallExpression(parent.parent) &&
    parent.parent.expression === parent
  )
}

/** Declarations name the code beside them. */
function resolveBuilt(importer, name) {
  const isDeclaration = /\.d\.c?ts$/.test(importer)
  return path.resolve(path.dirname(importer), isDeclaration ? name.replace(/\.(c?)js$/, '.d.$1ts') : name)
}
