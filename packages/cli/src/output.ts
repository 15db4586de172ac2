/** Where a command writes; tests give their own. */
export interface Output {
  out(text: string): void
  err(text: string): void
}

export const processOutput: Output = {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
}

/** Writes a result as one line of JSON, for programs. */
export function writeJson(output: Output, result: unknown): void {
  output.out(JSON.stringify(result))
}
