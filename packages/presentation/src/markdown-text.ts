import { cutMiddle } from '@runledger/protocol'
import { dropBidiControls, toPlainText } from './plain-text'

const MAX_LINE_BYTES = 300
const MAX_BLOCK_BYTES = 4 * 1024

/**
 * Somebody's text within a line. As code, nothing in it is taken for Markdown or HTML, and no tag such as `@smoke` for a
 * person where it is pasted.
 */
export function code(text: string): string {
  const line = cutMiddle(clean(text).replaceAll(/\s+/g, ' ').trim(), MAX_LINE_BYTES)
  if (line === '') return '(no text)'
  const ticks = '`'.repeat(findLongestTicks(line) + 1)
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${space}${line}${space}${ticks}`
}

/** Somebody's text in lines of its own, cut in its middle when it is long. */
export function codeBlock(text: string, language = '', maxBytes = MAX_BLOCK_BYTES): string {
  const block = cutMiddle(clean(text), maxBytes)
  const ticks = '`'.repeat(Math.max(3, findLongestTicks(block) + 1))
  return `${ticks}${language}\n${block}\n${ticks}`
}

// Marks that turn the direction of what follows, between ticks too. What ends code is longer than any row of ticks in it, so
// one without end would take all the room.
function clean(text: string): string {
  const plain = dropBidiControls(toPlainText(text))
  return plain.replaceAll(/`{21,}/g, `${'`'.repeat(20)}…`)
}

// Code ends where as many ticks follow each other as it began with.
function findLongestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
}

/** Somebody's text as a link, or without one where it leads nowhere. */
export function codeLink(text: string, address: string | undefined): string {
  return address === undefined ? code(text) : `[${code(text)}](${escapeAddress(address)})`
}

/** An address that ends where it ends, whatever is in it. */
export function escapeAddress(address: string): string {
  return address.replaceAll(
    /[\s()<>[\]`\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

/** The parts that there are, in one line. */
export function joinFacts(facts: readonly (string | undefined)[]): string {
  return facts.filter((fact) => fact !== undefined && fact !== '').join(' · ')
}

// An issue on GitHub takes 65,536 characters, and an assistant reads this in one go.
const MAX_LENGTH = 60_000

/** Markdown of bounded length, some 60,000 characters: what does not fit is left out, and its end says so. */
export class BoundedMarkdown {
  readonly #blocks: string[] = []
  readonly #leftOut: string[] = []
  #room: number

  constructor(maxLength = MAX_LENGTH) {
    this.#room = maxLength
  }

  /** Tells whether there was room for it. */
  add(block: string): boolean {
    if (block === '') return true
    if (block.length + 2 > this.#room) return false
    this.#room -= block.length + 2
    const before = this.#blocks.at(-1)
    if (before !== undefined && isEntry(before) && isEntry(block))
      this.#blocks[this.#blocks.length - 1] = `${before}\n${block}`
    else this.#blocks.push(block)
    return true
  }

  /** Adds as many as there is room for, at most so many, under a heading; of what is left out the end tells. */
  addEach<Item>(items: readonly Item[], list: BlockList<Item>): void {
    const { heading, most = Infinity, format, total = items.length, what } = list
    if (total === 0 || !this.add(heading)) return void (total > 0 && this.#leftOut.push(what(total)))
    const tooMany = items.findIndex((item, index) => index >= most || !this.add(format(item)))
    const shown = tooMany < 0 ? items.length : tooMany
    if (total > shown) this.#leftOut.push(what(total - shown))
  }

  /** @param address Where all of it is */
  end(address: string): string {
    const note =
      this.#leftOut.length === 0 ? [] : [`Left out here: ${this.#leftOut.join(', ')}. All of it: ${address}`]
    return `${[...this.#blocks, ...note].join('\n\n')}\n`
  }
}

// Entries of a list follow each other without an empty line.
function isEntry(block: string): boolean {
  return block.startsWith('- ')
}

interface BlockList<Item> {
  heading: string
  /** Most that are shown. */
  most?: number
  format: (item: Item) => string
  /** How many there are, where more are than were read. */
  total?: number
  /** So many of them in words. */
  what: (count: number) => string
}
