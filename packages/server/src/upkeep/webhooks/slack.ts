import { dropBidiControls, formatCount, toPlainText } from '@runledger/presentation'
import { cutWell, type Rate, type WebhookData, type WebhookMessage } from '@runledger/protocol'

interface SlackMessage {
  text: string
  blocks: { type: 'section'; text: { type: 'mrkdwn'; text: string; verbatim: true } }[]
}

/** Most characters of a block. */
const MAX_BLOCK = 3_000
const MAX_LINK = 1_200
const MAX_NAME = 150
const MAX_COMMIT = 10

/** Without a signature, because Slack checks only the address. */
export function renderSlack(message: WebhookMessage): SlackMessage {
  const lines = renderLines(message)
  const [first = ''] = lines
  return {
    // Notifications show it, without formatting.
    text: cutWell(first.replaceAll(/<[^|>]*\|([^>]*)>/g, '$1').replaceAll('*', ''), MAX_BLOCK),
    blocks: fillBlocks(lines).map((text) => ({
      type: 'section',
      // Otherwise Slack makes links of addresses and of names of channels.
      text: { type: 'mrkdwn', text, verbatim: true },
    })),
  }
}

type TestsMessage = Extract<WebhookMessage, { data: { tests: unknown } }>

const TESTS: Readonly<Record<TestsMessage['type'], readonly [one: string, several: string]>> = {
  'test.newly_failing': ['newly failing test', 'newly failing tests'],
  'test.fixed': ['fixed test', 'fixed tests'],
  'test.newly_flaky': ['newly flaky test', 'newly flaky tests'],
  'test.failing_in_a_row': ['test failed three times in a row', 'tests failed three times in a row'],
}

function renderLines(message: WebhookMessage): string[] {
  switch (message.type) {
    case 'test.newly_failing':
    case 'test.fixed':
    case 'test.newly_flaky':
    case 'test.failing_in_a_row':
      return renderTests(message)
    case 'build.incomplete':
      return [
        `*Incomplete build* ${nameBuild(message.data)}: ${escapeText(message.data.missing.join('; '), MAX_NAME * 2)}`,
      ]
    case 'build.completed':
      return [`*Complete after all, and ${message.data.state}:* build ${nameBuild(message.data)}`]
    case 'line.yield_below':
      return [`*First-pass yield below ${percent(message.data.limit)}:* ${describeYield(message.data)}`]
    case 'line.yield_recovered':
      return [
        `*First-pass yield no longer below ${percent(message.data.limit)}:* ${describeYield(message.data)}`,
      ]
    case 'line.out_of_control':
      return [`*Out of control:* ${describeControl(message.data)}`]
    case 'line.in_control':
      return [`*In control again:* ${describeControl(message.data)}`]
    case 'webhook.test':
      return [`A test message of the webhook "${escapeText(message.data.webhook.name)}" of Runledger.`]
  }
}

function renderTests({ type, data }: TestsMessage): string[] {
  const count = formatCount(data.tests.length + data.more, ...TESTS[type])
  return [
    `*${count}* in build ${nameBuild(data)}`,
    ...data.tests.map(({ name, file, url, error }) => {
      const place = file === null ? '' : ` in ${escapeText(file)}`
      return `• ${link(url, name)}${place}${error === null ? '' : `: ${escapeText(error)}`}`
    }),
    ...(data.more > 0 ? [`… and ${data.more} more`] : []),
  ]
}

function nameBuild({ build, procedure }: WebhookData<'test.fixed' | 'build.incomplete'>): string {
  const { group, url, branch, commit } = build
  const place = branch === null ? '' : ` on ${escapeText(branch)}`
  const at = commit === null ? '' : ` at ${escapeText(commit.slice(0, MAX_COMMIT))}`
  return `${link(url, group)} of ${escapeText(procedure.name)}${place}${at}`
}

function describeYield({
  procedure,
  url,
  first_pass: firstPass,
  days,
}: WebhookData<'line.yield_below'>): string {
  return `${describeRate(firstPass, 'units')} passed their first run of ${link(url, procedure.name)}, last ${days} days`
}

function describeRate({ count, of, rate, low, high }: Rate, noun: string): string {
  return `${percent(rate ?? 0)}, ${count} of ${of} ${noun} (95 % interval ${percent(low ?? 0)} to ${percent(high ?? 1)})`
}

function describeControl({
  procedure,
  url,
  phase,
  measurement,
  values,
  violating,
  days,
}: WebhookData<'line.in_control'>): string {
  const name =
    phase === measurement ? escapeText(measurement) : `${escapeText(measurement)} in ${escapeText(phase)}`
  return `${name} of ${link(url, procedure.name)}: ${violating} of ${formatCount(values, 'value')} break a rule, last ${days} days`
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`
}

function link(url: string, text: string): string {
  const escaped = escapeText(text)
  return url.length > MAX_LINK || /[<>|]/.test(url) ? escaped : `<${url}|${escaped}>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** One line of foreign text, its entities counted in its length. Without `<`, it cannot mention anybody or add a link. */
function escapeText(text: string, maxLength = MAX_NAME): string {
  const plain = dropBidiControls(toPlainText(text)).replaceAll(/\s+/g, ' ').trim()
  let escaped = ''
  for (const character of plain) {
    const next = ENTITIES[character] ?? character
    if (escaped.length + next.length > maxLength) return `${escaped}…`
    escaped += next
  }
  return escaped
}

/** Each line fits into a block. */
function fillBlocks(lines: readonly string[]): string[] {
  const blocks: string[] = []
  for (const line of lines) {
    const joined = `${blocks.at(-1)}\n${line}`
    if (blocks.length > 0 && joined.length <= MAX_BLOCK) blocks[blocks.length - 1] = joined
    else blocks.push(line)
  }
  return blocks
}
