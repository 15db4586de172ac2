import { toPlainLine } from '@runledger/core/tools'
import {
  type Client,
  MAX_PAGE_LIMIT,
  type UpdateWebhookRequest,
  type Webhook,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookFormat,
} from '@runledger/protocol'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { findListedId } from '../ask/history-pages'
import { readAll } from '../ask/pages'
import type { CommandContext, Surface } from '../command-context'
import { addListOptions, collect } from '../filter-options'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { formatTable, shortenId } from '../table'
import { formatWhen } from '../when'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

const HELP = `
Events: ${WEBHOOK_EVENTS.join(', ')}.`

export function registerWebhooks(program: Command, output: Output, context: CommandContext): void {
  const surface = { output, context }
  const webhooks = program
    .command('webhooks')
    .description(
      'Manage webhooks: messages about tests and lines to an address. This needs the key of an admin.',
    )
    .addHelpText('after', HELP)
  addServiceOptions(
    webhooks.command('list', { isDefault: true }).description('List the webhooks, newest first.'),
  ).action((flags: ServiceFlags) => list(flags, surface))
  registerAdd(webhooks, surface)
  const withId = (name: string, description: string) =>
    addServiceOptions(
      webhooks.command(name).description(description).argument('<id>', 'its id, or the beginning of it'),
    )
  withId('remove', 'Delete a webhook with its messages.').action((id: string, flags: ServiceFlags) =>
    remove(id, flags, surface),
  )
  withId('enable', 'Enable a webhook. It gets messages about builds that report from now on.').action(
    (id: string, flags: ServiceFlags) => update(id, { ...flags, body: { enabled: true } }, surface),
  )
  withId('disable', 'Disable a webhook. Waiting messages are not sent.').action(
    (id: string, flags: ServiceFlags) => update(id, { ...flags, body: { enabled: false } }, surface),
  )
  withId('test', 'Send a test message.').action((id: string, flags: ServiceFlags) =>
    sendTest(id, flags, surface),
  )
  addListOptions(withId('deliveries', 'List the messages to a webhook, newest first.')).action(
    (id: string, flags: DeliveryFlags) => listDeliveries(id, flags, surface),
  )
  withId('retry', 'Send a message again.')
    .argument('<delivery>', 'its id, which "webhooks deliveries" shows')
    .action((id: string, delivery: string, flags: ServiceFlags) => retry({ id, delivery }, flags, surface))
}

function addServiceOptions(command: Command): Command {
  return command
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of the service on one line')
}

interface AddFlags extends ServiceFlags {
  name?: string
  format: WebhookFormat
  event?: WebhookEvent[]
  procedure?: string[]
  yieldBelow?: number
}

function registerAdd(webhooks: Command, surface: Surface): void {
  addServiceOptions(
    webhooks
      .command('add')
      .description('Create a webhook, and print its signing secret, which is not shown again.')
      .argument('<address>', 'where messages are sent, with http:// or https://')
      .option('--name <name>', 'what it is for (default: the host of the address)')
      .addOption(
        new Option('--format <format>', 'signed JSON, or text for Slack')
          .choices(WEBHOOK_FORMATS)
          .default('json'),
      )
      .option('--event <event>', 'only messages about this event; repeatable', collectEvent)
      .option('--procedure <id>', 'only about this procedure, by its identifier or id; repeatable', collect)
      .option(
        '--yield-below <share>',
        'limit of the first-pass yield for line.yield_below, such as 0.95',
        parseShare,
      ),
  ).action((address: string, flags: AddFlags) => add(address, flags, surface))
}

function collectEvent(value: string, earlier: WebhookEvent[] = []): WebhookEvent[] {
  const event = WEBHOOK_EVENTS.find((each) => each === value)
  if (event === undefined) throw new InvalidArgumentError(`There are: ${WEBHOOK_EVENTS.join(', ')}.`)
  return [...earlier, event]
}

function parseShare(value: string): number {
  const share = Number(value)
  if (value.trim() === '' || !(share > 0 && share <= 1))
    throw new InvalidArgumentError('Give a number above 0 and up to 1.')
  return share
}

async function list(flags: ServiceFlags, { output, context }: Surface): Promise<void> {
  const webhooks = await withService(flags, context, ({ client }) => listWebhooks(client))
  if (flags.json) return writeJson(output, webhooks)
  if (webhooks.length === 0) return output.out('There are no webhooks.')
  const rows = webhooks.map((webhook) => formatWebhook(webhook, context.columns))
  output.out(formatTable(HEADS, rows, context.columns))
}

function listWebhooks(client: Client): Promise<Webhook[]> {
  return readAll((cursor) => client.listWebhooks({ query: { limit: MAX_PAGE_LIMIT, cursor } }))
}

const HEADS = ['Id', 'Name', 'State', 'Address', 'Format', 'Events', 'Procedures']

function formatWebhook(webhook: Webhook, columns: number | undefined): string[] {
  const { events, procedures, yield_below: limit } = webhook
  const listed = events.length === 0 ? 'all' : events.join(', ')
  return [
    shortenId(webhook.id, columns),
    webhook.name,
    webhook.enabled ? 'enabled' : 'disabled',
    webhook.url,
    webhook.format,
    limit ? `${listed} (yield below ${limit})` : listed,
    procedures === null ? 'all' : procedures.map(({ identifier }) => identifier).join(', '),
  ]
}

async function add(address: string, flags: AddFlags, { output, context }: Surface): Promise<void> {
  const { name, format, event, procedure, yieldBelow } = flags
  const body = {
    name: name ?? (URL.canParse(address) ? new URL(address).host : 'webhook'),
    url: address,
    format,
    events: event,
    procedure_ids: procedure,
    yield_below: yieldBelow,
  }
  const webhook = await withService(flags, context, ({ client }) => client.createWebhook({ body }))
  if (flags.json) return writeJson(output, webhook)
  output.out(format === 'json' ? webhook.secret : webhook.id)
  output.err(
    toPlainLine(
      `Webhook ${webhook.id} was created.${format === 'json' ? ' Its secret is not shown again.' : ''}`,
    ),
  )
}

async function remove(given: string, flags: ServiceFlags, { output, context }: Surface): Promise<void> {
  const removed = await withService(flags, context, async ({ client }) =>
    client.deleteWebhook({ params: { id: await findWebhookId(client, given) } }),
  )
  if (flags.json) return writeJson(output, removed)
  output.out(`Webhook ${removed.id} was deleted.`)
}

interface UpdateFlags extends ServiceFlags {
  body: Partial<UpdateWebhookRequest>
}

async function update(
  given: string,
  { body, ...flags }: UpdateFlags,
  { output, context }: Surface,
): Promise<void> {
  const webhook = await withService(flags, context, async ({ client }) =>
    client.updateWebhook({ params: { id: await findWebhookId(client, given) }, body }),
  )
  if (flags.json) return writeJson(output, webhook)
  output.out(toPlainLine(`${webhook.name} is ${webhook.enabled ? 'enabled' : 'disabled'} (${webhook.id}).`))
}

async function sendTest(given: string, flags: ServiceFlags, { output, context }: Surface): Promise<void> {
  const delivery = await withService(flags, context, async ({ client }) =>
    client.testWebhook({ params: { id: await findWebhookId(client, given) } }),
  )
  report(delivery, flags, output)
}

interface DeliveryFlags extends ServiceFlags {
  limit?: number
  cursor?: number
}

async function listDeliveries(
  given: string,
  flags: DeliveryFlags,
  { output, context }: Surface,
): Promise<void> {
  const { limit, cursor } = flags
  const page = await withService(flags, context, async ({ client }) =>
    client.listWebhookDeliveries({
      params: { id: await findWebhookId(client, given) },
      query: { limit, cursor },
    }),
  )
  if (flags.json) return writeJson(output, page)
  if (page.data.length === 0) return output.out('There are no messages.')
  output.out(formatTable(DELIVERY_HEADS, page.data.map(formatDelivery), context.columns))
  if (page.meta.next_cursor !== null) output.err(`More: --cursor ${page.meta.next_cursor}`)
}

const DELIVERY_HEADS = ['Id', 'Message', 'State', 'Created', 'Attempts', 'Next', 'Error']

function formatDelivery(delivery: WebhookDelivery): string[] {
  return [
    delivery.id,
    delivery.kind,
    delivery.state,
    formatWhen(delivery.created_at),
    String(delivery.attempts),
    delivery.next_attempt_at === null ? '' : formatWhen(delivery.next_attempt_at),
    delivery.last_error ?? '',
  ]
}

async function retry(
  { id, delivery }: { id: string; delivery: string },
  flags: ServiceFlags,
  { output, context }: Surface,
): Promise<void> {
  const again = await withService(flags, context, async ({ client }) =>
    client.retryWebhookDelivery({ params: { id: await findWebhookId(client, id), delivery_id: delivery } }),
  )
  report(again, flags, output)
}

function report(delivery: WebhookDelivery, { json }: ServiceFlags, output: Output): void {
  if (json) return writeJson(output, delivery)
  output.out(`Message ${delivery.id} (${delivery.kind}) is sent within seconds.`)
}

function findWebhookId(client: Client, given: string): Promise<string> {
  return findListedId(given, () => listWebhooks(client), ['webhook', 'webhooks'])
}
