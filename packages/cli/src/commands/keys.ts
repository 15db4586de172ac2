import {
  type Client,
  type CreateKeyRequest,
  type KeyListItem,
  type Role,
  RoleSchema,
} from '@runledger/protocol'
import { type Command, Option } from 'commander'
import { UsageError } from '../command-error'
import type { CommandContext, Surface } from '../command-context'
import { addListOptions } from '../filter-options'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { formatTable } from '../table'
import { formatWhen } from '../when'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface ListFlags extends ServiceFlags {
  limit?: number
  cursor?: number
}

interface CreateFlags extends ServiceFlags {
  role?: Role
  user?: string
  procedure?: string
  station?: string
  expires?: string
}

export function registerKeys(program: Command, output: Output, context: CommandContext): void {
  const surface = { output, context }
  const keys = program
    .command('keys')
    .description('Manage the API keys of the service, with the key of an admin.')
  addListOptions(
    keys.command('list').description('List keys, newest first: what each may do, its end and its last use.'),
  )
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of GET /v2/keys on one line: {"data", "meta"}')
    .action((flags: ListFlags) => list(flags, surface))
  keys
    .command('create')
    .description('Issue a key and print it. It is not shown again.')
    .argument('<name>', 'what it is for')
    .addOption(new Option('--role <role>', 'a user key with this role').choices(RoleSchema.options))
    .option('--user <email>', 'with --role: a key of this user (default: of who creates it)')
    .option('--procedure <id>', 'a project key, which only creates runs of this procedure')
    .option('--station <id>', 'a key of this station')
    .option('--expires <time>', 'when it ends, such as 2030-01-01T00:00:00Z (default: never)')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of POST /v2/keys on one line')
    .action((name: string, flags: CreateFlags) => create(name, flags, surface))
  keys
    .command('revoke')
    .description('Revoke a key at once.')
    .argument('<id>', 'its id, which "keys list" shows')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of DELETE /v2/keys/{id} on one line: {"id"}')
    .action((id: string, flags: ServiceFlags) => revoke(id, flags, surface))
}

async function list(flags: ListFlags, { output, context }: Surface): Promise<void> {
  const { limit, cursor } = flags
  const page = await withService(flags, context, ({ client }) =>
    client.listKeys({ query: { limit, cursor } }),
  )
  if (flags.json) return writeJson(output, page)
  output.out(formatTable(HEADS, page.data.map(formatKey), context.columns))
  if (page.meta.next_cursor !== null) output.err(`More: --cursor ${page.meta.next_cursor}`)
}

const HEADS = ['Name', 'May', 'Key', 'Created', 'Last use', 'End', 'Id']

function formatKey(key: KeyListItem): string[] {
  return [
    key.name,
    key.role ?? `${key.kind} ${key.procedure?.identifier ?? key.station?.name ?? ''}`,
    key.hint,
    formatWhen(key.created_at),
    formatWhen(key.last_used_at),
    key.revoked_at === null ? formatWhen(key.expires_at) : 'revoked',
    key.id,
  ]
}

/** @throws UsageError */
async function create(name: string, flags: CreateFlags, { output, context }: Surface): Promise<void> {
  const kind = describeKind(flags)
  const issued = await withService(flags, context, async ({ client }) => {
    const owner = flags.user === undefined ? undefined : await findUserId(client, flags.user)
    return client.createKey({ body: { ...kind, name, user_id: owner, expires_at: flags.expires } })
  })
  if (flags.json) return writeJson(output, issued)
  output.out(issued.key)
  output.err('It is not shown again.')
}

/** @throws UsageError for an unknown address */
async function findUserId(client: Client, email: string): Promise<string> {
  const users = await client.listUsers({ query: {} })
  const user = users.find((each) => each.email.toLowerCase() === email.trim().toLowerCase())
  if (user) return user.id
  throw new UsageError(`no user has the e-mail address "${email}". Create one: runledger call createUser`)
}

type Kind = Pick<CreateKeyRequest, 'kind'> & Partial<CreateKeyRequest>

function describeKind({ role, user, procedure, station }: CreateFlags): Kind {
  if (user !== undefined && role === undefined) throw new UsageError('--user needs --role')
  const kinds: Kind[] = [
    ...(role === undefined ? [] : [{ kind: 'user', role } as const]),
    ...(procedure === undefined ? [] : [{ kind: 'project', procedure_id: procedure } as const]),
    ...(station === undefined ? [] : [{ kind: 'station', station_id: station } as const]),
  ]
  const [kind, ...others] = kinds
  if (!kind || others.length > 0)
    throw new UsageError('say what the key may do, by one of --role, --procedure and --station')
  return kind
}

async function revoke(id: string, flags: ServiceFlags, { output, context }: Surface): Promise<void> {
  const revoked = await withService(flags, context, ({ client }) => client.deleteKey({ params: { id } }))
  if (flags.json) return writeJson(output, revoked)
  output.out(`Key ${revoked.id} is revoked.`)
}
