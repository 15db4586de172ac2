import { normalizeServiceUrl, type Service } from '@runledger/core/tools'
import { type SignInLink, SignInLinkSchema } from '@runledger/protocol'
import type { Command } from 'commander'
import { CommandError } from '../command-error'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { DIR_OPTION } from '../find-folder'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

export function registerSignIn(program: Command, output: Output, context: CommandContext): void {
  program
    .command('sign-in')
    .description('Print a new link that signs in to the dashboard, once, within 15 minutes.')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print one line of JSON: {"sign_in_url", "expires_at"}')
    .action((flags: ServiceFlags) => signIn(flags, { output, context }))
}

async function signIn(flags: ServiceFlags, { output, context }: Surface): Promise<void> {
  const { url, expires_at } = await withService(flags, context, createSignInLink)
  if (flags.json) return writeJson(output, { sign_in_url: url, expires_at })
  output.out(url)
  output.err('It works once, within 15 minutes.')
}

/** @throws ApiError for a station's key, CommandError for a service of another kind */
export async function createSignInLink({ client, url }: Service): Promise<SignInLink> {
  const { data } = SignInLinkSchema.safeParse(await client.createSignInLink())
  if (data === undefined) throw new CommandError(`${normalizeServiceUrl(url)} makes no sign-in links`)
  return data
}
