import * as vitest from 'vitest'
import { test } from 'vitest'

interface Later {
  recordArtifact?: (task: unknown, artifact: object) => Promise<unknown>
}
const { recordArtifact } = vitest as Later
const bytes = new TextEncoder().encode('a>?b>?')

test('annotates', async ({ annotate }) => {
  await annotate('a plain remark')
  await annotate('a warning', 'warning')
  await annotate('bytes', { body: bytes, contentType: 'text/plain' })
  await annotate('  ', { body: 'YQ==' })
  await annotate('   ', { path: 'curve.csv' })
  await annotate('not secure', { path: 'http://example.com/manual.pdf' })
})
test.runIf(recordArtifact)('records artifacts', { retry: 1 }, async ({ task }) => {
  const record = (artifact: object) => recordArtifact?.(task, artifact)
  await record({ type: 'scope', attachments: [{ name: 'wave', path: 'curve.csv', contentType: 'text/csv' }] })
  await record({
    type: 'scope',
    attachments: [{ path: 'curve.csv' }, { originalPath: '/far/trace.bin', path: 'curve.csv' }],
  })
  await record({
    type: 'scope',
    attachments: [{ body: 'YQ==' }, { name: '', body: 'text', bodyEncoding: 'utf-8' }],
  })
  await record({ type: 'scope', attachments: [{ path: 'https://example.com/wave' }] })
  await record({ type: 'number', value: 7 })
  await record({
    type: 'internal:failureScreenshot',
    attachments: [{ path: 'curve.csv', originalPath: '/far/first.png' }],
  })
  throw new Error('fails')
})
