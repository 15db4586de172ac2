import type { Options } from '@runledger/core'
import { ChannelFolder, HookGuard, loadCore, printWarning } from '@runledger/reporter-kit'
import { ExecutionRecorder } from './execution-recorder'
import type { NodeEvent } from './node-events'

/** Reads the events of an execution; prints nothing. */
export type NodeReporter = (events: AsyncIterable<NodeEvent>) => AsyncGenerator<string, void>

/** For `run().compose(…)`. Delivers inside the generator, because Node may exit when that ends. Never throws. */
export function createReporter(
  options: Options = {},
  load = loadCore,
  now: () => number = Date.now,
): NodeReporter {
  // Not a generator itself: Node starts the first process before it reads from one.
  return (events) => {
    const channel = new ChannelFolder()
    channel.open()
    return follow(events, channel)
  }

  async function* follow(
    events: AsyncIterable<NodeEvent>,
    channel: ChannelFolder,
  ): AsyncGenerator<string, void> {
    const guard = new HookGuard()
    const { execArgv: nodeArguments } = process
    const recorder = new ExecutionRecorder({
      options,
      guard,
      load,
      now,
      rootDir: process.cwd(),
      nodeArguments,
    })
    if (recorder.isWatch) printWarning('watch mode is not recorded')
    await guard.runAsync(async () => {
      for await (const event of events) {
        guard.run(() => recorder.add(event))
        if (event.type === 'test:complete') await recorder.settled()
      }
    })
    const result = await guard.runAsync(() => recorder.finish())
    if (result?.status === 'failed' && result.failOnUploadError) process.exitCode = 1
    else if (result?.isExcused && process.exitCode === 1) process.exitCode = 0
    channel.remove()
    yield ''
  }
}
