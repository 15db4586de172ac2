import { connectService, type Service } from '@runledger/core/tools'
import type { CommandContext } from './command-context'
import { findFolder } from './find-folder'

export interface ServiceFlags {
  url?: string
  dir?: string
  json?: boolean
}

export const URL_OPTION = ['--url <url>', 'the service to ask'] as const

/** `RUNLEDGER_DISABLED` switches reporters off: not what a user asks for by hand. */
export function withoutSwitch(env: CommandContext['env']): CommandContext['env'] {
  return { ...env, RUNLEDGER_DISABLED: undefined }
}

/** The longest wait before a retry: a user waits meanwhile, and sees no output. */
const LONGEST_WAIT_MS = 10_000

/** Asks the service that a reporter in the folder would use. @throws ConfigError when it is not known, or has no key */
export async function withService<T>(
  { url, dir }: ServiceFlags,
  context: CommandContext,
  ask: (service: Service) => Promise<T>,
): Promise<T> {
  const options = url === undefined ? {} : { url }
  const env = withoutSwitch(context.env)
  const projectRoot = findFolder(dir, context.cwd)
  const service = await connectService({ options, env, projectRoot, longestWaitMs: LONGEST_WAIT_MS })
  try {
    return await ask(service)
  } finally {
    await service.close()
  }
}
