import { OBEYED } from '@runledger/presentation'

export interface Output {
  out(text: string): void
  err(text: string): void
  /** Writes a part of a long text, and waits until there is room for more. Absent where nothing long is written. */
  write?(text: string): Promise<void>
}

export const processOutput: Output = {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
  // Called back also when whoever read it has gone away.
  write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
}

/** Writes a result as JSON, for programs: on one line, or indented for people. */
export function writeJson(output: Output, result: unknown, { isIndented = false } = {}): void {
  output.out(formatJson(result ?? null, isIndented ? 2 : undefined))
}

export function formatJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, undefined, indent)
  return json.replace(OBEYED, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
