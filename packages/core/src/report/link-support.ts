import { createSupportsHyperlinks } from 'supports-hyperlinks'

/** True when what is written to stderr is shown by a terminal that knows links. */
export function knowsLinks(): boolean {
  try {
    return createSupportsHyperlinks(process.stderr)
  } catch {
    return false
  }
}
