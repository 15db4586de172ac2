import { listDistributionStatements } from '@runledger/server'
import type { Command } from 'commander'
import { UsageError } from '../command-error'
import { type Output, writeJson } from '../output'

interface DatabaseFlags {
  printDistribution?: boolean
  json?: boolean
}

/** `runledger database`: what an operator of PostgreSQL does with its tables. */
export function registerDatabase(program: Command, output: Output): void {
  program
    .command('database')
    .description(
      'Print the statements that distribute the tables of a PostgreSQL database over several machines.',
    )
    .option('--print-distribution', 'print them, for psql: as SQL for Citus')
    .option('--json', 'print one line of JSON: {"statements"}')
    .addHelpText(
      'after',
      '\nTo do it: runledger database --print-distribution | psql --set ON_ERROR_STOP=1 <address>\nStop the service first. docs/scaling.md says what to expect.',
    )
    .action((flags: DatabaseFlags) => {
      if (!flags.printDistribution)
        throw new UsageError('Say what to do with the database: --print-distribution.')
      const statements = listDistributionStatements()
      if (flags.json) writeJson(output, { statements })
      else output.out(statements.map((statement) => `${statement};`).join('\n'))
    })
}
