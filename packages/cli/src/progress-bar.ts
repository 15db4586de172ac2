import type { Terminal } from './command-context'

const BAR_WIDTH = 24
const CLEAR_LINE = '\r\u001b[K'

/** A bar on one line of a terminal, drawn anew at every step and gone at the end. */
export class ProgressBar {
  #done = 0
  #total = 0

  constructor(private readonly terminal: Terminal) {}

  expect(count: number): void {
    this.#total += count
    this.#draw('')
  }

  step(label: string, count = 1): void {
    this.#done += count
    this.#draw(label)
  }

  clear(): void {
    this.terminal.write(CLEAR_LINE)
  }

  #draw(label: string): void {
    const filled = this.#total === 0 ? 0 : Math.round((this.#done / this.#total) * BAR_WIDTH)
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled)
    const line = `${bar} ${this.#done}/${this.#total} ${label}`
    this.terminal.write(CLEAR_LINE + line.slice(0, Math.max(0, this.terminal.columns - 1)))
  }
}
