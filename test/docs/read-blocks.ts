import { readFileSync } from 'node:fs'
import path from 'node:path'
import { REPOSITORY } from '../support/repository'

/** The code blocks of a document in one language, in their order. */
export function readBlocks(document: string, language: string): string[] {
  const text = readFileSync(path.join(REPOSITORY, document), 'utf8')
  return [...text.matchAll(/^```(\w+)[^\n]*\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code)
}

/** The only block that has this text. @throws when there is none, or more than one. */
export function findBlock(blocks: readonly string[], text: string): string {
  const [block, ...others] = blocks.filter((each) => each.includes(text))
  if (block === undefined || others.length > 0) throw new Error(`${others.length + 1} blocks with ${text}`)
  return block
}

/** Replaces each text by another. @throws for one that is not there: then the document has changed, and the test must too. */
export function replaceAll(block: string, replacements: Record<string, string>): string {
  let replaced = block
  for (const [text, by] of Object.entries(replacements)) {
    if (!replaced.includes(text)) throw new Error(`not in the document: ${text}`)
    replaced = replaced.replaceAll(text, by)
  }
  return replaced
}
