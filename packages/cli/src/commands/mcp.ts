import type { Command } from 'commander'
import { DIR_OPTION, findFolder } from '../find-folder'
import type { CommandContext } from '../command-context'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface McpFlags extends ServiceFlags {
  write?: boolean
}

const HELP = `
An assistant starts it by a configuration such as:
  {"mcpServers": {"runledger": {"command": "npx", "args": ["runledger", "mcp"]}}}`

export function registerMcp(program: Command, context: CommandContext): void {
  program
    .command('mcp')
    .description(
      'Answer questions of coding assistants about the record (Model Context Protocol over stdio).',
    )
    .option('--write', 'let assistants annotate runs too')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .addHelpText('after', HELP)
    .action((flags: McpFlags) => mcp(flags, context))
}

async function mcp({ write = false, ...flags }: McpFlags, context: CommandContext): Promise<void> {
  findFolder(flags.dir, context.cwd)
  // No other command needs the protocol.
  const { serveMcp } = await import('../mcp/serve')
  await serveMcp(
    // Anew for each question: the service may be started, or get another key, meanwhile.
    (ask, signal) =>
      withService(flags, context, (service) => {
        signal.addEventListener('abort', () => void service.close(), { once: true })
        return ask(service)
      }),
    { isWriting: write },
  )
}
