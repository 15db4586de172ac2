import { readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

/**
 * What a source file has: its lines, its functions, and the files that it imports by a relative path, types included.
 * A callback counts with the function that it stands in, unless it stands in none.
 * @param {string} file
 */
export function readSource(file) {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = { file, lines: countLines(text), functions: [], imports: [] }
  visit(source, false)
  return found

  function visit(node, isInFunction) {
    const isFunction = ts.isFunctionLike(node) && node.body !== undefined
    const name = isFunction ? nameFunction(node) : undefined
    if (isFunction && (name || !isInFunction)) found.functions.push(measureFunction(source, node, name))
    const imported = findImported(node)
    if (imported?.startsWith('.')) found.imports.push(path.join(path.dirname(file), imported))
    ts.forEachChild(node, (child) => visit(child, isInFunction || isFunction))
  }
}

function countLines(text) {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

function measureFunction(source, node, name = 'callback') {
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1
  const line = lineOf(node.getStart())
  return { name, place: `${source.fileName}:${line}`, lines: lineOf(node.end) - line + 1 }
}

/** The function's own name, or that of what it is assigned to. */
function nameFunction(node) {
  if (ts.isConstructorDeclaration(node)) return 'constructor'
  const { parent } = node
  const isAssigned =
    ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)
  return (node.name ?? (isAssigned ? parent.name : undefined))?.getText()
}

/** The module that a node imports or exports from: at once, lazily, or for a type. */
function findImported(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier?.text
  if (ts.isImportTypeNode(node)) return node.argument.literal?.text
  const isLazy = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isLazy ? node.arguments[0]?.text : undefined
}
