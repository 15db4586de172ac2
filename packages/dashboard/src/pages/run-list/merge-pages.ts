import type { Page, RunListItem } from '@runledger/protocol'

/** The runs of all pages in order, each once: a run that came in between two reads may be on both their pages. */
export function mergePages(pages: Page<RunListItem>[]): RunListItem[] {
  const runs = new Map<string, RunListItem>()
  for (const page of pages) {
    for (const run of page.data) if (!runs.has(run.id)) runs.set(run.id, run)
  }
  return [...runs.values()]
}
