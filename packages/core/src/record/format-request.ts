import type { CreateRunRequest } from '@runledger/protocol'
import { TextWriter } from './text-writer'

/** So many at a time: as one text, all steps of a large suite would be in the heap several times while it is made. */
const STEPS_TOGETHER = 200

/** A creation request as JSON in UTF-8, as it is kept and sent. */
export function formatRequest({ steps = [], ...others }: CreateRunRequest): Uint8Array {
  if (steps.length <= STEPS_TOGETHER) return Buffer.from(JSON.stringify({ ...others, steps }))
  const text = new TextWriter()
  text.write(JSON.stringify(others).slice(0, -1))
  text.write(',"steps":[')
  for (let start = 0; start < steps.length; start += STEPS_TOGETHER) {
    if (start > 0) text.write(',')
    text.write(JSON.stringify(steps.slice(start, start + STEPS_TOGETHER)).slice(1, -1))
  }
  text.write(']}')
  return text.finish()
}
