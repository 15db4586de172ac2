import path from 'node:path'

/**
 * Files that import one another in a circle, directly or through others. Each circle has all files that belong together,
 * each with those of them that it imports.
 * @param {{ file: string, imports: string[] }[]} sources
 * @returns {{ file: string, imports: string[] }[][]}
 */
export function findCircles(sources) {
  const imports = resolveImports(sources)
  const reached = new Map([...imports.keys()].map((file) => [file, reachFrom(file, imports)]))
  const circles = []
  const known = new Set()
  for (const [file, others] of reached) {
    if (known.has(file) || !others.has(file)) continue
    const circle = [...others].filter((other) => reached.get(other).has(file)).sort()
    for (const member of circle) known.add(member)
    circles.push(circle.map((member) => ({ file: member, imports: keepOnly(imports.get(member), circle) })))
  }
  return circles
}

/** The same for folders, each without those in it. Files beside the folders of a package stand for themselves. */
export function findFolderCircles(sources) {
  const nodeOf = (file) => (path.basename(path.dirname(file)) === 'src' ? file : path.dirname(file))
  const nodes = new Map(sources.map(({ file }) => [nodeOf(file), []]))
  for (const [file, others] of resolveImports(sources)) {
    const node = nodeOf(file)
    nodes.get(node).push(...others.map(nodeOf).filter((other) => other !== node))
  }
  return findCircles([...nodes].map(([file, imports]) => ({ file, imports })))
}

/** Imports are written without an extension, and may name a folder. */
function resolveImports(sources) {
  const files = new Set(sources.map(({ file }) => file))
  const endings = ['', '.ts', '.tsx', '.d.ts', '/index.ts', '/index.tsx']
  const resolve = (imported) => endings.map((ending) => imported + ending).find((file) => files.has(file))
  return new Map(
    sources.map(({ file, imports }) => [file, imports.map(resolve).filter((found) => found !== undefined)]),
  )
}

function reachFrom(start, imports) {
  const reached = new Set()
  const next = [start]
  while (next.length > 0) {
    for (const file of imports.get(next.pop())) {
      if (reached.has(file)) continue
      reached.add(file)
      next.push(file)
    }
  }
  return reached
}

function keepOnly(files, circle) {
  return [...new Set(files)].filter((file) => circle.includes(file)).sort()
}
