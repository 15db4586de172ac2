/** A thermal printer and the scanner behind it, simulated: dots instead of heat. */
export class Printer {
  /** `deadRow`: of the print head, whose dots stay white. */
  constructor({ deadRow } = {}) {
    this.deadRow = deadRow
  }

  /** Prints each character as the eight dots of its code. */
  print(text) {
    return [...text].map((character) =>
      Array.from(
        { length: 8 },
        (_, row) => row !== this.deadRow && (character.charCodeAt(0) >> row) % 2 === 1,
      ),
    )
  }
}

/** Reads the dots back. */
export function scan(dots) {
  const codes = dots.map((column) => column.reduce((code, isDark, row) => code + (isDark ? 2 ** row : 0), 0))
  return String.fromCharCode(...codes)
}
