const MAX_TEXTS = 100
/** Of the names together: long ones, one within the other before each of many values, would fill the memory. */
const MAX_NAME_CHARACTERS = 10_000

/** The first values of a step, each as `Name.Inner = value`, and the number of the others. */
export class TextList {
  readonly texts: string[] = []
  leftOut = 0
  #nameCharacters = 0

  add(name: string, value: string): void {
    if (value === '') return
    const isFull = this.texts.length === MAX_TEXTS || this.#nameCharacters > MAX_NAME_CHARACTERS
    if (isFull) this.leaveOut()
    else this.texts.push(`${name || 'value'} = ${value}`)
    this.#nameCharacters += name.length
  }

  leaveOut(): void {
    this.leftOut += 1
  }

  join(separator: string): string {
    const more = this.leftOut > 0 ? [`and ${this.leftOut} more values`] : []
    return [...this.texts, ...more].join(separator)
  }
}
