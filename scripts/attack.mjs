// npm run attack [-- NAME …] [--small] [--database postgres] [--list]: attacks against the built service, each with a service of
// its own, on a PostgreSQL that is started for them where that is asked for; says what was done, what /healthz took meanwhile and the
// most memory that the service held; ends 1 when one gets through.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { prepare } from './prepare.mjs'

const repository = path.resolve(import.meta.dirname, '..')
prepare({ build: true })
const { status } = spawnSync(process.execPath, ['test/attack/run.mjs', ...process.argv.slice(2)], {
  cwd: repository,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
