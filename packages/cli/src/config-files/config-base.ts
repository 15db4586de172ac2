import type { Node, Statement } from '@babel/types'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { findValue } from './config-objects'
import { textOf, unwrap } from './config-source'

const EXTENSIONS = ['', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js']
const RELATIVE_IMPORT = /(?:from|import|require\()\s*['"](\.[^'"]*)['"]/g

/**
 * The project file that a name is imported from, and those it imports, as text; undefined for packages and unreadable files.
 */
export function readBase(name: string, statements: readonly Statement[], file: string): string | undefined {
  const source = findImport(name, statements)
  return source?.startsWith('.')
    ? readWithImports(path.resolve(path.dirname(file), source), new Set())
    : undefined
}

function findImport(name: string, statements: readonly Statement[]): string | undefined {
  for (const each of statements) {
    if (each.type === 'ImportDeclaration' && each.specifiers.some(({ local }) => local.name === name))
      return each.source.value
  }
  const value = findValue(name, statements)
  return value && readRequire(unwrap(value))
}

function readRequire(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return undefined
  const [first] = node.arguments
  return node.callee.name === 'require' && first ? textOf(first) : undefined
}

function readWithImports(place: string, seen: Set<string>): string | undefined {
  if (seen.has(place)) return ''
  seen.add(place)
  const found = EXTENSIONS.map((extension) => `${place}${extension}`).flatMap(
    (file) => readIfThere(file) ?? [],
  )[0]
  if (!found) return undefined
  const others = [...found.text.matchAll(RELATIVE_IMPORT)].map(([, source = '']) =>
    readWithImports(path.resolve(path.dirname(found.file), source), seen),
  )
  return others.includes(undefined) ? undefined : [found.text, ...others].join('\n')
}

function readIfThere(file: string): { file: string; text: string } | undefined {
  try {
    return { file, text: readFileSync(file, 'utf8') }
  } catch {
    return undefined
  }
}
