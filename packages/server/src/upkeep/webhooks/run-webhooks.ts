import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../operations/call/context'
import { Detector } from './detector'
import { sendDue } from './sender'

export interface WebhookIntervals {
  detectMs: number
  sendMs: number
}

const INTERVALS: WebhookIntervals = { detectMs: 60_000, sendMs: 2_000 }

/** Finds events and sends messages in the background. Returns what stops it after the current step; requests are aborted. */
export function startWebhooks(
  context: Context,
  intervals: WebhookIntervals = INTERVALS,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const detector = new Detector(context)
  const repeat = async (intervalMs: number, work: () => Promise<void>) => {
    let hasFailed = false
    while (!signal.aborted) {
      await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      const error: unknown = await work().then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      // While the database is away, each step fails.
      if (error !== undefined && !hasFailed)
        context.log.error('A step of the webhooks failed; it goes on later', error)
      hasFailed = error !== undefined
    }
  }
  const running = Promise.all([
    repeat(intervals.detectMs, () => detector.detect(signal)),
    repeat(intervals.sendMs, () => sendDue(context, { signal })),
  ])
  return async () => {
    stopping.abort()
    await running
  }
}
