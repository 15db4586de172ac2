import { type Command, Option } from 'commander'
import { compareWithEarlier, findRunId, readRunPage } from '../ask/run'
import { UsageError } from '../command-error'
import { DIR_OPTION } from '../find-folder'
import { writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface } from '../command-context'
import { SELECTABLE } from '../rerun/select-tests'
import { createRepeatNewOption, createWaitOption } from '../duration-options'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'
import { type FailedFlags, runFailed } from './run-failed'
import { runNew } from './run-new'
import { runJudged } from './run-judged'

interface RunFlags extends FailedFlags {
  failed?: boolean
  repeatNew?: number
}

const HELP = `
"run" is what GET /v2/runs/{id} answers, "verdicts" what GET /v2/verdicts does: null where the service has none.

With a command, it runs the command and ends with its exit code. A framework whose reporter has the option quarantine ends with 0 if every
failure is quarantined (docs/quarantine.md):
  runledger run -- npx vitest run

With --failed, it runs the command once, with arguments that select the tests of a build that did not pass, over all shards and
machines:
  runledger run --failed -- npx vitest run
  runledger run --failed --build ci-1f0c -- npm test --

With --repeat-new, it runs the tests that are new on the branch of a build again and again for this time, and puts nothing on record:
  runledger run --repeat-new 5m -- npx vitest run
The exit code is 1 if one of them failed or did not run, or if the command failed.

Without --build and --commit, the build is that of this CI job, or outside of a CI that of the commit that is checked out: the newest
of a CI, or without any the newest that is no rerun.

With --failed, the exit code is that of the command. If that is 0, it is still 1 if a test failed again or did not run, if the build
has a failure that no test can clear, or, in a CI, if a test did not pass on the system and Node version, or as often as, it may have
failed.`

/** `wordsAfterDashes`: commander does not distinguish the words after `--`, which are a command, from those before. */
export function registerRun(
  program: Command,
  { output, context, wordsAfterDashes }: Surface & { wordsAfterDashes: readonly string[] },
): void {
  program
    .command('run')
    .description(
      'Print a run as Markdown, run a command whose quarantined failures do not count, with --failed the failed tests of a build again, or with --repeat-new its new tests.',
    )
    .usage(
      '[options] <id>\n       runledger run [options] -- <command...>\n       runledger run [options] --failed -- <command...>\n       runledger run [options] --repeat-new <time> -- <command...>',
    )
    .argument('<words...>', 'its id, or the beginning of it; after -- the command that runs the tests')
    .option('--failed', 'run the tests of a build that did not pass')
    .addOption(createRepeatNewOption())
    .option('--build <group>', 'with --failed or --repeat-new: the group of the build')
    .option('--commit <commit>', 'with --failed or --repeat-new: the build of this commit')
    .option(
      '--framework <name>',
      `with --failed or --repeat-new: the framework of the command, if the build has several: ${SELECTABLE.join(', ')}`,
    )
    .addOption(
      new Option(
        '--allow <what>',
        'with --failed or --repeat-new: use what is on record of an incomplete build',
      ).choices(['incomplete']),
    )
    .addOption(createWaitOption())
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option(
      '--json',
      'print one line of JSON: {"run", "verdicts"}, with --failed {"failed", "not_run", …}, or with --repeat-new {"executions", "new", …}',
    )
    .addHelpText('after', HELP)
    .action((words: string[], flags: RunFlags, command: Command) => {
      const { repeatNew } = flags
      if (flags.failed && repeatNew !== undefined)
        throw new UsageError('--failed and --repeat-new exclude each other')
      if (flags.failed) return runFailed(words, flags, { output, context })
      if (repeatNew !== undefined) return runNew(words, { ...flags, repeatNew }, { output, context })
      if (wordsAfterDashes.length > 0) {
        refuseOthers(words.length - wordsAfterDashes.length, command)
        return runJudged(words, flags, { output, context })
      }
      return run(requireOne(words), flags, { output, context })
    })
}

/** @throws UsageError for what has no meaning beside a command */
function refuseOthers(wordsBefore: number, command: Command): void {
  if (wordsBefore > 0) throw new UsageError('give either the id of a run, or after -- a command')
  const other = command.options.find(
    (option) =>
      !['url', 'dir'].includes(option.attributeName()) &&
      command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  if (other !== undefined)
    throw new UsageError(`${other.long} has no meaning for a command without --failed or --repeat-new`)
}

function requireOne([id = '', ...others]: readonly string[]): string {
  if (others.length === 0) return id
  throw new UsageError('give the id of one run, or after -- the command that runs the tests')
}

async function run(given: string, flags: ServiceFlags, { output, context }: Surface): Promise<void> {
  await withService(flags, context, async (service) => {
    const { client } = service
    const id = await findRunId(client, given)
    if (!flags.json) return output.out(toPlainText((await readRunPage(service, id)).trimEnd()))
    const [found, verdicts] = await Promise.all([
      client.getRun({ params: { id } }),
      compareWithEarlier(client, { ids: [id] }),
    ])
    writeJson(output, { run: found, verdicts: verdicts ?? null })
  })
}
