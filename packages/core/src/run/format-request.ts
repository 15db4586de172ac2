import type { CreateRunRequest, Step } from '@runledger/protocol'
import { TextWriter } from './text-writer'

/**
 * A creation request as JSON in UTF-8, as it is kept and sent. Step by step: as one text it would be in the heap three
 * times while it is made, and steps are most of it.
 */
export function formatRequest({ steps = [], ...others }: CreateRunRequest): Uint8Array {
  const text = new TextWriter()
  text.write(JSON.stringify(others).slice(0, -1))
  text.write(',"steps":[')
  steps.forEach((step, index) => {
    if (index > 0) text.write(',')
    writeStep(text, step)
  })
  text.write(']}')
  return text.finish()
}

function writeStep(text: TextWriter, step: Step): void {
  if (isMeasured(step)) return text.write(JSON.stringify(step))
  text.write('{"name":')
  text.write(JSON.stringify(step.name))
  text.write(step.step_passed ? ',"step_passed":true,"started_at":"' : ',"step_passed":false,"started_at":"')
  // These two have nothing that JSON would escape.
  text.write(step.started_at)
  text.write('","duration":"')
  text.write(step.duration)
  text.write('"}')
}

function isMeasured(step: Step): boolean {
  return (
    step.measurement_value !== undefined ||
    step.measurement_unit !== undefined ||
    step.limit_low !== undefined ||
    step.limit_high !== undefined
  )
}
