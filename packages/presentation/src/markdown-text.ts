import { cutMiddle } from '@runledger/protocol'
import { dropBidiControls, toPlainText } from './plain-text'

const MAX_LINE_BYTES = 300
const MAX_BLOCK_BYTES = 4 * 1024

/** Foreign text within a line. As code, it cannot become Markdown, HTML, or the mention of a person such as `@smoke`. */
export function code(text: string): string {
  const line = cutMiddle(clean(text).replaceAll(/\s+/g, ' ').trim(), MAX_LINE_BYTES)
  if (line === '') return '(no text)'
  const ticks = '`'.repeat(findLongestTicks(line) + 1)
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${space}${line}${space}${ticks}`
}

/** Foreign text in its own lines; the middle of a long one is cut. */
export function codeBlock(text: string, language = '', maxBytes = MAX_BLOCK_BYTES): string {
  const block = cutMiddle(clean(text), maxBytes)
  const ticks = '`'.repeat(Math.max(3, findLongestTicks(block) + 1))
  return `${ticks}${language}\n${block}\n${ticks}`
}

// Removes marks that reverse text, even between ticks, and bounds the rows of ticks.
function clean(text: string): string {
  const plain = dropBidiControls(toPlainText(text))
  return plain.replaceAll(/`{21,}/g, `${'`'.repeat(20)}…`)
}

// Code ends at as many ticks as it began with.
function findLongestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
}

/** Foreign text as a link, if there is an address. */
export function codeLink(text: string, address: string | undefined): string {
  return address === undefined ? code(text) : `[${code(text)}](${escapeAddress(address)})`
}

/** An address in which no character can end the link. */
export function escapeAddress(address: string): string {
  return address.replaceAll(
    /[\s()<>[\]`\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

export function joinFacts(facts: readonly (string | undefined)[]): string {
  return facts.filter((fact) => fact !== undefined && fact !== '').join(' · ')
}

// A GitHub issue takes 65,536 characters, and an assistant reads this in one go.
const MAX_LENGTH = 60_000

/** Markdown of bounded length, by default about 60,000 characters; its end says what was left out. */
export class BoundedMarkdown {
  readonly #blocks: string[] = []
  readonly #leftOut: string[] = []
  #room: number

  constructor(maxLength = MAX_LENGTH) {
    this.#room = maxLength
  }

  /** False if there was no room. */
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

  /** Adds as many items as fit, at most `most`, under a heading. */
  addEach<Item>(items: readonly Item[], list: BlockList<Item>): void {
    const { heading, most = Infinity, format, total = items.length, what } = list
    if (total === 0 || !this.add(heading)) return void (total > 0 && this.#leftOut.push(what(total)))
    const tooMany = items.findIndex((item, index) => index >= most || !this.add(format(item)))
    const shown = tooMany < 0 ? items.length : tooMany
    if (total > shown) this.#leftOut.push(what(total - shown))
  }

  /** @param address The address of the whole */
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
  /** The most items shown. */
  most?: number
  format: (item: Item) => string
  /** The number of all items, if only some were read. */
  total?: number
  /** A number of items in words. */
  what: (count: number) => string
}
