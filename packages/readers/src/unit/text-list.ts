import { MAX_TEXT_LENGTH } from '@runledger/protocol'

const MAX_TEXTS = 100

/** Long nested names before each of many values would fill the memory. */
export const MAX_NAME = 100

/** Returns `Outer.name`, or the only name if the other is empty. */
export function joinNames(outer: string, name: string): string {
  const cut = name.slice(0, MAX_NAME)
  return outer === '' || cut === '' ? outer || cut : `${outer}.${cut}`
}

/** The first values of a step, each as `Name.Inner = value`, and the number of the others. */
export class TextList {
  readonly texts: string[] = []
  leftOut = 0
  #characters = 0

  /** With `isJoined`, the texts become one text, so only its length is limited. */
  constructor(private readonly isJoined = false) {}

  add(name: string, value: string): void {
    if (value === '') return
    const isFull = this.#characters >= MAX_TEXT_LENGTH || (!this.isJoined && this.texts.length === MAX_TEXTS)
    if (isFull) return this.leaveOut()
    const text = `${name || 'value'} = ${value}`
    this.texts.push(text)
    // Long nested names before each of many values would fill the memory.
    this.#characters += this.isJoined ? text.length + 1 : name.length
  }

  leaveOut(): void {
    this.leftOut += 1
  }

  join(separator: string): string {
    const more = this.leftOut > 0 ? [`and ${this.leftOut} more values`] : []
    return [...this.texts, ...more].join(separator)
  }
}
