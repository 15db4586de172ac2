import { ApiError, normalizeServiceUrl, type Service } from '@runledger/core/tools'
import { canFillPath, type SignInLink } from '@runledger/protocol'
import { type Command, InvalidArgumentError } from 'commander'
import path from 'node:path'
import { CommandError } from '../command-error'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { DIR_OPTION } from '../find-folder'
import { writeRedirectPage } from '../redirect-page'
import { findSettings } from '../service-settings'
import { createSignInLink } from './sign-in'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

export function registerOpen(program: Command, output: Output, context: CommandContext): void {
  program
    .command('open')
    .description('Open the dashboard in the browser, signed in where the service allows it.')
    .argument('[run]', 'the id of a run; left out, the list of runs', parseRunId)
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print one line of JSON: {"url", "opened"}')
    .addHelpText('after', '\nWhere no browser can be opened it prints the address.')
    .action((run: string | undefined, flags: ServiceFlags) => open(run, flags, { output, context }))
}

function parseRunId(id: string): string {
  if (canFillPath(id)) return id
  throw new InvalidArgumentError('It is no id of a run.')
}

async function open(
  run: string | undefined,
  flags: ServiceFlags,
  { output, context }: Surface,
): Promise<void> {
  const pathname = run === undefined ? '/runs' : `/runs/${encodeURIComponent(run)}`
  const { page, link } = await withService(flags, context, async (service) => {
    if (run !== undefined) await service.client.getRun({ params: { id: run } })
    return { page: normalizeServiceUrl(service.url) + pathname, link: await findSignInLink(service) }
  })
  const address = link === undefined ? page : `${link.url}&next=${encodeURIComponent(pathname)}`
  const opened = await openHidden(address, link !== undefined, { flags, output, context })
  if (flags.json) return writeJson(output, { url: opened ? page : address, opened })
  if (opened) return output.out(`Opened ${page}`)
  output.out(address)
  const advice = link === undefined ? '' : ' It signs in once, within 15 minutes.'
  output.err(`No browser can be opened here: open this address.${advice}`)
}

/** Opens an address, one with a code through a page that only this user can read. False where there is no browser. */
async function openHidden(
  address: string,
  hasCode: boolean,
  { flags, output, context }: Surface & { flags: ServiceFlags },
): Promise<boolean> {
  const { openBrowser } = context
  if (openBrowser === undefined || !hasCode) return (await openBrowser?.(address)) ?? false
  const { credentialsFile } = findSettings(flags, context)
  const folder = credentialsFile === undefined ? undefined : path.dirname(credentialsFile)
  const opened = await openBrowser(await writeRedirectPage(address, folder))
  // Browsers in a sandbox may not read temporary files.
  if (opened && folder === undefined)
    output.err('If the browser cannot read the page, use the link of runledger sign-in.')
  return opened
}

/** Undefined where the service makes none: for a station's key, or because it is of another kind. */
async function findSignInLink(service: Service): Promise<SignInLink | undefined> {
  try {
    return await createSignInLink(service)
  } catch (error) {
    if (error instanceof CommandError || (error instanceof ApiError && error.statusCode !== 401))
      return undefined
    throw error
  }
}
