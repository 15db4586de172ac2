import type { Command } from 'commander'
import path from 'node:path'
import { ReportedError } from '../command-error'
import type { DoctorFlags, Examinations, Examined } from '../doctor/examine'
import type { Finding } from '../doctor/finding'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, CommandContext } from '../command-context'
import { count, formatTable } from '../table'

export function registerDoctor(program: Command, output: Output, context: CommandContext): void {
  program
    .command('doctor')
    .description('Check everything between the tests and their runs on record, and say what to mend.')
    .option('--no-run', 'create no run to try it')
    .option(...DIR_OPTION)
    .option(
      '--json',
      'print one line of JSON: {"ok", "options", "findings"}; ok: no fault in what was checked',
    )
    .addHelpText('after', '\nExit code 1 when a fault was found.')
    .action((flags: DoctorFlags) => doctor(flags, { output, context }))
}

async function doctor(flags: DoctorFlags, { output, context }: Surface): Promise<void> {
  // Loaded here: a parser of TypeScript is nothing that other commands should wait for.
  const { examine } = await import('../doctor/examine')
  const found = await examine(flags, context)
  const isWell = found.findings.every(({ status }) => status !== 'fault')
  if (flags.json) writeJson(output, toRecord(found, isWell))
  else output.out(describe(found))
  if (!isWell) throw new ReportedError()
}

function toRecord({ folder, examined, findings }: Examinations, ok: boolean) {
  return {
    ok,
    options: examined.map(({ project, options, computed }) => ({
      config: nameConfig(project, folder),
      options,
      computed,
    })),
    findings,
  }
}

function nameConfig(project: Examined['project'], folder: string): string | null {
  return project?.configFile === undefined ? null : path.relative(folder, project.configFile)
}

const MARKS: Record<Finding['status'], string> = { ok: 'ok', fault: 'FAULT', 'not checked': '-' }

function describe({ folder, examined, findings }: Examinations): string {
  const rows = findings.map(({ check, status, message }) => [MARKS[status], check, message])
  const tables = examined.map((each) => describeOptions(each, folder))
  return toPlainText([...tables, formatTable(['', 'check', ''], rows), '', conclude(findings)].join('\n'))
}

function conclude(findings: readonly Finding[]): string {
  const faults = findings.filter(({ status }) => status === 'fault')
  if (faults.length > 0) return [`${count(faults.length, 'fault')}:`, ...faults.map(describeFault)].join('\n')
  const left = findings.filter(({ status }) => status === 'not checked').map(({ check }) => check)
  const parts = left.length > 0 ? ` Not checked: ${[...new Set(left)].join(', ')}.` : ''
  return `No faults in what was checked.${parts}\n${NOT_TRIED}`
}

/** Trying it would run the tests, with all their effects. */
const NOT_TRIED = 'Not tried: your tests. Only their own last line shows that they are on record.'

function describeOptions({ project, options, computed }: Examined, folder: string): string {
  const rows = options.map(({ name, value, from }) => [
    name,
    computed.includes(name) ? '(only running the tests shows it)' : (value ?? '-'),
    computed.includes(name) || from === 'option' ? 'config' : from,
  ])
  const title = nameConfig(project, folder)
  return `${title === null ? '' : `${title}\n`}${formatTable(['option', 'value', 'from'], rows)}\n`
}

function describeFault({ check, message, fix }: Finding): string {
  return `  ${check}: ${message}\n    ${fix}`
}
