// Sends the files as attachments of one suite, through the core.
import { createExecution } from '@runledger/core'
import { readFileList, startReport } from './delivery-report.mjs'

const files = readFileList()
const createSuite = (attachments) => ({
  project: '',
  file: 'bench.test.js',
  startedAtMs: Date.now(),
  durationMs: 1,
  outcome: 'passed',
  problems: [],
  output: [],
  attachments,
  tests: [
    {
      titles: ['sends'],
      outcome: 'passed',
      flaky: false,
      startedAtMs: Date.now(),
      durationMs: 1,
      attempts: [{ status: 'passed', errors: [], attachments: [], output: [] }],
    },
  ],
})
const facts = { framework: 'bench', frameworkVersion: '1', rootDir: process.cwd(), startedAtMs: Date.now() }

async function record(attachments) {
  const execution = createExecution(facts, { logs: false })
  execution.addSuite(createSuite(attachments))
  const result = await execution.finish()
  if (result.status !== 'uploaded' || result.notUploaded.length > 0) throw new Error(JSON.stringify(result))
}

await record([{ name: 'warm', bytes: Buffer.from('warm') }])
const report = startReport()
await record(files.map((path, index) => ({ name: `file-${index}`, path })))
report.finish({ seconds: report.seconds() })
