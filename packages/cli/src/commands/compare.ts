import type { BuildReference, ComparedTest, Comparison } from '@runledger/protocol'
import type { Command } from 'commander'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, CommandContext } from '../command-context'
import { formatTable } from '../table'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface CompareFlags extends ServiceFlags {
  branches?: boolean
}

export function registerCompare(program: Command, output: Output, context: CommandContext): void {
  program
    .command('compare <base> <head>')
    .description('Compare the tests of two builds, which are named by their groups.')
    .option('--branches', 'base and head are branches: compare the last build of each')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of GET /v2/comparison on one line')
    .action((base: string, head: string, flags: CompareFlags) =>
      compare({ base, head, flags }, { output, context }),
    )
}

interface Asked {
  base: string
  head: string
  flags: CompareFlags
}

async function compare({ base, head, flags }: Asked, { output, context }: Surface): Promise<void> {
  const query = flags.branches ? { base_branch: base, head_branch: head } : { base, head }
  const comparison = await withService(flags, context, ({ client }) => client.compareBuilds({ query }))
  if (flags.json) return writeJson(output, comparison)
  output.out(toPlainText(`Base ${describeBuild(comparison.base)}\nHead ${describeBuild(comparison.head)}`))
  const rows = LISTS.flatMap(([list, word]) => comparison[list].data.map((test) => formatTest(word, test)))
  if (rows.length === 0) return output.out('No test differs, and none fails in both.')
  output.out(formatTable(['What', 'Base', 'Head', 'Test', 'File'], rows, context.columns))
  for (const [list, word] of LISTS) {
    const left = comparison[list].total - comparison[list].data.length
    if (left > 0) output.err(`${left} more: ${word}`)
  }
}

type ListName = 'newly_failing' | 'still_failing' | 'fixed' | 'slower' | 'new' | 'gone'

const LISTS: readonly (readonly [ListName & keyof Comparison, string])[] = [
  ['newly_failing', 'newly failing'],
  ['still_failing', 'still failing'],
  ['fixed', 'fixed'],
  ['slower', 'slower'],
  ['new', 'new'],
  ['gone', 'gone'],
]

function describeBuild({ group, branch, commit, author }: BuildReference): string {
  return [group, branch, commit, author].filter((fact) => fact !== null).join(' · ')
}

function formatTest(word: string, { test, base, head }: ComparedTest): string[] {
  return [word, describeResult(base), describeResult(head), test.name, test.file ?? '']
}

function describeResult(result: ComparedTest['base']): string {
  return result === null ? '' : `${result.outcome} ${Math.round(result.duration_ms)} ms`
}
