import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import {
  parse,
  type Identifier,
  type ImportDeclaration,
  type ImportExpression,
  type Literal,
  type Node,
} from 'acorn'
import { decode, encode, type SourceMapMappings, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import MagicString from 'magic-string'
import type { Options } from 'tsup'

/**
 * The CJS build with nothing rewritten but imports and exports: each import is read once, when the file is loaded, as
 * esbuild's chunks never import one another in a circle. What tsup and esbuild make of it otherwise asks the other file
 * through one or two getters at each use, and tsup also takes `?.` and `??` apart into calls with a closure for each,
 * takes the names of exported classes, and ends its source maps at the first template of a line.
 */
export function cjsAsWritten(): NonNullable<Options['plugins']>[number] {
  return {
    name: 'cjs-as-written',
    renderChunk(code, { type, path: source }) {
      if (this.format !== 'cjs' || type !== 'chunk') return undefined
      // What the step of tsup that comes after this one asks for.
      this.splitting = false
      const written = writeAsCjs(code)
      return { code: written.toString(), map: written.generateMap({ source, hires: 'boundary' }) }
    },
  }
}

function writeAsCjs(code: string): MagicString {
  const written = new MagicString(code)
  const { body } = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
  for (const node of body) {
    if (node.type === 'ImportDeclaration') written.update(node.start, node.end, writeImport(node))
    else if (node.type === 'ExportNamedDeclaration' && !node.declaration && !node.source) {
      const names = node.specifiers.map(({ local, exported }) => `${nameOf(exported)}:${nameOf(local)}`)
      written.update(node.start, node.end, `module.exports={${names.join(',')}};`)
    } else if (node.type.startsWith('Export')) throw new Error(`No way to write ${node.type} as CJS`)
  }
  const later = listNodes(body).filter((node) => node.type === 'ImportExpression')
  for (const node of later) writeLaterImport(written, node as ImportExpression)
  return written.prepend(`"use strict";${later.length === 0 ? '' : NAMESPACE}`)
}

function writeImport({ source, specifiers }: ImportDeclaration): string {
  const required = `require(${JSON.stringify(source.value)})`
  const named = specifiers.flatMap((each) =>
    each.type === 'ImportSpecifier' ? [`${nameOf(each.imported)}:${each.local.name}`] : [],
  )
  const whole = specifiers.find(({ type }) => type !== 'ImportSpecifier')?.local.name
  if (whole === undefined)
    return named.length === 0 ? `${required};` : `const {${named.join(',')}}=${required};`
  return `const ${whole}=${required};${named.length === 0 ? '' : `const {${named.join(',')}}=${whole};`}`
}

/**
 * What `import()` answers for a module that is required: CJS has its exports as default too. They are not read for it:
 * Node's `http` loads its WebSocket, of 8 MB, when that is.
 */
const NAMESPACE =
  'const namespaceOf=found=>found?.[Symbol.toStringTag]==="Module"?found:{__proto__:found,default:found};'

/**
 * Making Node's ESM loader ready costs as much as a quarter of loading core, so these are required too; but for a package
 * that is ESM where Node cannot require that: before 22.12, and where it is told not to.
 */
function writeLaterImport(written: MagicString, { start, end, source }: ImportExpression): void {
  const imported = written.original.slice(start, end)
  const name = (source as Literal).value as string
  const isPackage = !name.startsWith('.') && !isBuiltin(name)
  written.update(start, source.start, 'Promise.resolve().then(()=>namespaceOf(require(')
  written.update(end - 1, end, isPackage ? `))).catch(${IF_ESM}${imported}})` : ')))')
}

const IF_ESM = 'error=>{if(error?.code!=="ERR_REQUIRE_ESM")throw error;return '

/** A node and all below it. */
function listNodes(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return []
  const below = Object.values(value).flatMap(listNodes)
  return 'type' in value && 'start' in value ? [value as Node, ...below] : below
}

function nameOf(name: Identifier | Literal): string {
  return name.type === 'Identifier' ? name.name : JSON.stringify(name.value)
}

/** What a file requires as soon as it is loaded. */
const REQUIRED = /(?<!namespaceOf\()require\("\.\/([^"]+)"\)/g

/**
 * Puts a file and all that it requires at once into one file beside it, which it then only hands on: each file that is
 * loaded costs a fifth of a millisecond and 6 kB. What the files named `apart` require stays by itself. `dist` is the
 * folder of the build.
 */
export function mergeFiles(
  dist: string,
  { entry, into, apart }: { entry: string; into: string; apart: readonly string[] },
): void {
  const outside = new Set(apart.flatMap((name) => listRequired(dist, name)))
  const merged = new Set(listRequired(dist, entry).filter((name) => !outside.has(name)))
  const parts = `$${path.parse(into).name}`
  let text = `"use strict";const ${parts}=module.exports={};\n`
  const maps = [...merged].map((name) => {
    const { code, map } = readBuilt(dist, name)
    text += `${parts}[${JSON.stringify(name)}]=(module=>{\n`
    const line = text.split('\n').length - 1
    text += `${takeParts(code, parts, merged)}\nreturn module.exports})({});\n`
    rmSync(path.join(dist, name))
    rmSync(path.join(dist, `${name}.map`))
    return { line, map }
  })
  writeBuilt(dist, into, { code: text, map: joinMaps(maps) })
  for (const name of readdirSync(dist).filter((each) => each.endsWith('.cjs') && each !== into)) {
    const { code, map } = readBuilt(dist, name)
    const taken = takeParts(code, parts, merged)
    if (taken === code) continue
    const first = `"use strict";const ${parts}=require("./${into}");\n`
    writeBuilt(dist, name, { code: first + taken, map: joinMaps([{ line: 1, map }]) })
  }
  writeFileSync(path.join(dist, entry), `"use strict";module.exports=require("./${into}")["${entry}"];\n`)
}

/** Code that takes from another file's parts what it required. As long as before: the columns of its map stay right. */
function takeParts(code: string, parts: string, merged: ReadonlySet<string>): string {
  return code.replaceAll(REQUIRED, (whole: string, name: string) => {
    if (!merged.has(name)) return whole
    const part = `${parts}["${name}"]`.padEnd(whole.length)
    if (part.length > whole.length) throw new Error(`${part} is longer than ${whole}`)
    return part
  })
}

/** The file and those that it requires at once, each after those that it requires itself. */
function listRequired(dist: string, name: string, known = new Set<string>()): string[] {
  if (known.has(name)) return []
  known.add(name)
  const required = [...readBuilt(dist, name).code.matchAll(REQUIRED)].map(([, other]) => other as string)
  return [...required.flatMap((other) => listRequired(dist, other, known)), name]
}

/** A flat map: what transforms code as it is loaded (Babel in Playwright) cannot read one in sections. */
function joinMaps(parts: readonly { line: number; map: BuiltMap }[]): BuiltMap {
  const joined: Omit<BuiltMap, 'mappings'> = { version: 3, sources: [], sourcesContent: [], names: [] }
  const lines: SourceMapMappings = []
  for (const { line, map } of parts) {
    const [firstSource, firstName] = [joined.sources.length, joined.names.length]
    while (lines.length < line) lines.push([])
    for (const segments of decode(map.mappings)) {
      const moved = segments.map(([column, source, row, place, name]): SourceMapSegment => {
        if (source === undefined || row === undefined || place === undefined) return [column]
        if (name === undefined) return [column, source + firstSource, row, place]
        return [column, source + firstSource, row, place, name + firstName]
      })
      lines.push(moved)
    }
    joined.sources.push(...map.sources)
    joined.sourcesContent.push(...map.sourcesContent)
    joined.names.push(...map.names)
  }
  return { ...joined, mappings: encode(lines) }
}

interface BuiltMap {
  version: 3
  sources: string[]
  sourcesContent: string[]
  names: string[]
  mappings: string
}

interface Built {
  code: string
  map: BuiltMap
}

/** A file that only hands on has no map. */
function readBuilt(dist: string, name: string): Built {
  const code = readFileSync(path.join(dist, name), 'utf8').replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '')
  const mapFile = path.join(dist, `${name}.map`)
  return { code, map: existsSync(mapFile) ? JSON.parse(readFileSync(mapFile, 'utf8')) : NO_MAP }
}

const NO_MAP: BuiltMap = { version: 3, sources: [], sourcesContent: [], names: [], mappings: '' }

function writeBuilt(dist: string, name: string, { code, map }: Built): void {
  writeFileSync(path.join(dist, name), `${code.trimEnd()}\n//# sourceMappingURL=${name}.map\n`)
  writeFileSync(path.join(dist, `${name}.map`), JSON.stringify({ ...map, file: name }))
}
