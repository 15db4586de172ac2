// Three stations test 60 boards, three at a time. From LOT-3 on the 5 V rail is 60 mV higher; station 2 measures 3.3 V 30 mV lower.
import { execFileSync, spawn } from 'node:child_process'
import { startMeter } from './meter.js'

const BOARDS = 60
const BATCH = 20
const PROCEDURE = 'FINAL-TEST'

const stations = ['Bench 1', 'Bench 2', 'Bench 3'].map((name, index) => ({ name, index, key: setUp(name) }))
const boards = Array.from({ length: BOARDS }, (_, index) => ({
  serialNumber: `CTRL-${String(1001 + index)}`,
  batch: `LOT-${1 + Math.floor(index / BATCH)}`,
  index,
}))

let failed = 0
await Promise.all(
  stations.map(async (station) => {
    for (let board = boards.shift(); board; board = boards.shift())
      if (!(await testBoard(station, board))) failed += 1
  }),
)
console.log(`${BOARDS} boards tested, ${failed} failed. See npx runledger line ${PROCEDURE}`)

/** Makes the procedure, the station and its key; returns the key. */
function setUp(name) {
  call('createProcedure', { name: 'Final test', identifier: PROCEDURE }, { mayExist: true })
  const { id } = call('createStation', { name, procedure_id: PROCEDURE })
  return call('createKey', { kind: 'station', name, station_id: id }).key
}

function call(operation, body, { mayExist = false } = {}) {
  try {
    const args = ['runledger', 'call', operation, '--json', '--body', JSON.stringify(body)]
    return JSON.parse(execFileSync('npx', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }))
  } catch (error) {
    if (mayExist) return {}
    throw error
  }
}

/** Whether the board passed. */
async function testBoard(station, { serialNumber, batch, index }) {
  const meter = await startMeter((question) => readBoard(question, { station, batch, index }))
  const env = {
    ...process.env,
    RUNLEDGER_API_KEY: station.key,
    RUNLEDGER_PROCEDURE_ID: PROCEDURE,
    METER_PORT: String(meter.port),
    SCANNED: serialNumber,
    BATCH: batch,
  }
  const args = ['--test', '--test-reporter=@runledger/node-test', '--test-reporter-destination=stdout']
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  meter.stop()
  return code === 0
}

function readBoard(question, { station, batch, index }) {
  const isLate = Number(batch.slice('LOT-'.length)) >= 3
  const values = {
    'MEAS:VOLT? 5V': 5 + noise(index, 0.01) + (isLate ? 0.06 : 0),
    'MEAS:VOLT? 3V3': 3.3 + noise(index + 500, 0.008) - (station.index === 1 ? 0.03 : 0),
    'MEAS:CURR?': 180 + noise(index + 900, 15),
  }
  return values[question]?.toFixed(4) ?? 'ERROR'
}

/** Looks random, about normal, and is the same each time. */
function noise(seed, sigma) {
  let sum = 0
  for (let i = 1; i <= 12; i += 1) sum += (Math.sin(seed * 127.1 + i * 311.7) * 43_758.5453) % 1
  return (sigma * sum) / 2
}
