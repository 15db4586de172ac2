import { findNearest, type Service } from '@runledger/core/tools'
import {
  listFields,
  listPathParams,
  type Operation,
  OPERATION_ROUTES,
  type OperationName,
  OPERATIONS,
} from '@runledger/protocol'
import { type Command, InvalidArgumentError } from 'commander'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { CommandError, UsageError } from '../command-error'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { formatTable } from '../table'
import { describeOperation } from '../describe-operation'
import { DIR_OPTION } from '../find-folder'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface CallFlags extends ServiceFlags {
  body?: string
}

export function registerCall(program: Command, output: Output, context: CommandContext): void {
  program
    .command('call')
    .description('Call an operation of the service and print its response as JSON.')
    .argument('[operation]', 'its name, such as listRuns; left out, all are listed', parseOperation)
    .argument('[values...]', 'name=value for the path and the query; a name may come several times')
    .option('--body <json>', 'the body as JSON, or @file, or @- for standard input')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print it on one line, and an error as JSON too')
    .addHelpText('after', ({ command }) => {
      const operation = command.args.find(isOperation)
      return operation ? describeOperation(operation) : EXAMPLES
    })
    .action((operation: OperationName | undefined, values: string[], flags: CallFlags) => {
      if (operation === undefined) return listOperations(flags, output)
      return call({ operation, values, flags }, { output, context })
    })
}

const EXAMPLES = `
Examples:
  runledger call listRuns limit=5 outcomes=FAIL
  runledger call createStation --body '{"name":"Bench 1"}'
  runledger call getUnit serial_number=SN-0001`

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATION_ROUTES, name)
}

function parseOperation(name: string): OperationName {
  if (isOperation(name)) return name
  const near = findNearest(name, Object.keys(OPERATION_ROUTES))
  const advice = near ? `Did you mean ${near}?` : '"runledger call" lists all of them.'
  throw new InvalidArgumentError(`There is no operation "${name}". ${advice}`)
}

function listOperations({ json }: CallFlags, output: Output): void {
  const all = Object.entries(OPERATION_ROUTES).map(([operation, route]) => ({ operation, ...route }))
  if (json) return writeJson(output, all)
  const rows = all.map((each) => [each.operation, each.method, each.path])
  output.out(formatTable(['Operation', 'Method', 'Path'], rows))
}

interface Called {
  operation: OperationName
  values: readonly string[]
  flags: CallFlags
}

async function call({ operation, values, flags }: Called, { output, context }: Surface): Promise<void> {
  const { params, query } = sortValues(operation, values)
  const body = flags.body === undefined ? undefined : parseBody(await readBody(flags.body, context.cwd))
  const response = await withService(flags, context, (service) =>
    send(service, operation, { params, query, body }),
  )
  writeJson(output, response, { isIndented: !flags.json })
}

interface CallInput {
  params: Record<string, string>
  query: Record<string, string[]>
  body: unknown
}

async function send({ client }: Service, operation: OperationName, input: CallInput): Promise<unknown> {
  const method = client[operation] as (input: CallInput) => Promise<unknown>
  try {
    return await method(input)
  } catch (error) {
    // A parameter of the path is missing, or cannot be in one.
    throw error instanceof TypeError ? new UsageError(error.message, { cause: error }) : error
  }
}

/** What names a parameter of the path goes there, what names one of the query into the query. */
function sortValues(operation: OperationName, values: readonly string[]): Omit<CallInput, 'body'> {
  const names = listPathParams(OPERATION_ROUTES[operation].path)
  const { query: schema }: Operation = OPERATIONS[operation]
  const queryNames = listFields(schema).map((field) => field.name)
  const params: CallInput['params'] = {}
  const query = new Map<string, string[]>()
  for (const pair of values) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined || value === undefined) throw new UsageError(`"${pair}" is not name=value.`)
    if (names.includes(name)) params[name] = value
    else if (queryNames.includes(name)) query.set(name, [...(query.get(name) ?? []), value])
    else throw new UsageError(describeUnknown(name, operation, [...names, ...queryNames]))
  }
  return { params, query: Object.fromEntries(query) }
}

function describeUnknown(name: string, operation: OperationName, known: readonly string[]): string {
  if (known.length === 0) return `${operation} takes no values, but "${name}" is given.`
  const near = findNearest(name, known)
  const advice = near ? `Did you mean ${near}?` : `"runledger call ${operation} --help" lists what it takes.`
  return `${operation} does not take "${name}". ${advice}`
}

async function readBody(given: string, cwd: string): Promise<string> {
  if (!given.startsWith('@')) return given
  if (given === '@-') return readText(process.stdin)
  return readFile(path.resolve(cwd, given.slice(1)), 'utf8').catch((error: unknown) => {
    throw new CommandError(`cannot read ${given.slice(1)}: ${(error as Error).message}`)
  })
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new UsageError(`the body is not JSON: ${(error as Error).message}`)
  }
}
