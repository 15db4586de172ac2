// One SQLite connection in a thread (the writer's) or a process (a reader's) of its own; it runs what sqlite-peer.ts sends.
// Plain CommonJS, so that the same file runs beside the sources, from both formats of the build, and under Yarn PnP.
'use strict'

const { statSync } = require('node:fs')
const { parentPort, workerData } = require('node:worker_threads')

// Node 22 and 24 print an ExperimentalWarning when their SQLite is first loaded; an operator can do nothing about it.
process.emitWarning = () => undefined

const MAX_STATEMENTS = 300
const IDLE_MS = 100
/** How long a checkpoint that restarts the log waits for readers; writes wait as long. */
const CHECKPOINT_WAIT_MS = 200
/** The longest pause before the next try. */
const MAX_PAUSE_MS = 10_000
/** Errors after which SQLite may have rolled back by itself: no memory, I/O error, disk full, and their extended codes. */
const FATAL = new Set([7, 10, 13])

const { module: moduleName, path, pragmas, maxWalBytes } = workerData ?? JSON.parse(process.argv[2])
const { DatabaseSync } = require(moduleName)
const connection = new DatabaseSync(path)
for (const pragma of pragmas) connection.exec(`PRAGMA ${pragma}`)

/** Prepared once each, since the same few texts come again. */
const statements = new Map()

function prepare(sql) {
  const known = statements.get(sql)
  if (known) return known
  if (statements.size >= MAX_STATEMENTS) statements.clear()
  const statement = connection.prepare(sql)
  statements.set(sql, statement)
  return statement
}

/** Runs statements in order; returns the last one's rows, if requested, or its number of changed rows. */
function run(list, wantsRows) {
  let result
  list.forEach(([sql, values], index) => {
    const statement = prepare(sql)
    if (wantsRows && index === list.length - 1) result = { rows: statement.all(...values) }
    else result = { changes: Number(statement.run(...values).changes) }
  })
  return result
}

// A group is a transaction that several writes share. Each write but the first has a savepoint, so that it can be undone alone;
// the first is undone by beginning the transaction again.
const group = { isFirst: true, failure: undefined, lost: undefined }

function begin() {
  Object.assign(group, { isFirst: true, failure: undefined, lost: undefined })
  try {
    connection.exec('BEGIN IMMEDIATE')
  } catch (error) {
    group.lost = error
  }
}

function beginWrite() {
  group.failure = group.lost
  if (!group.isFirst && !group.lost) connection.exec('SAVEPOINT one_write')
}

/** After a failure, the rest of the write is skipped: statements are sent without waiting for earlier ones. */
function runInWrite(list, wantsRows) {
  if (group.failure) throw group.failure
  try {
    return run(list, wantsRows)
  } catch (error) {
    group.failure = error
    if (FATAL.has(error.errcode & 0xff)) loseGroup(error)
    throw error
  }
}

function endWrite(keep) {
  if (keep && !group.failure) {
    if (!group.isFirst) connection.exec('RELEASE one_write')
    group.isFirst = false
    return
  }
  if (!group.lost) undoWrite()
  if (group.failure) throw group.failure
}

function undoWrite() {
  try {
    connection.exec(group.isFirst ? 'ROLLBACK; BEGIN IMMEDIATE' : 'ROLLBACK TO one_write; RELEASE one_write')
  } catch (error) {
    loseGroup(error)
  }
}

function loseGroup(error) {
  group.lost = error
  rollBack()
}

function rollBack() {
  try {
    connection.exec('ROLLBACK')
  } catch {
    // SQLite has rolled back already.
  }
}

function commit() {
  if (group.lost) throw group.lost
  try {
    connection.exec('COMMIT')
  } catch (error) {
    rollBack()
    throw error
  }
  keepWalSmall()
}

let idleTimer
let lastMessageAt = 0

/**
 * Checkpoints when no write has come for a moment. Under constant load SQLite does it by itself (wal_autocheckpoint); if readers
 * keep it from restarting the log, this waits for them.
 */
function keepWalSmall(pauseMs = IDLE_MS) {
  idleTimer ??= setTimeout(() => {
    idleTimer = undefined
    if (walBytes() > maxWalBytes) {
      checkpoint('TRUNCATE')
      // A read of minutes blocks the checkpoint: do not make writes wait for it again and again.
      if (walBytes() > maxWalBytes) keepWalSmall(Math.min(pauseMs * 2, MAX_PAUSE_MS))
    } else if (Date.now() - lastMessageAt < IDLE_MS) keepWalSmall()
    else checkpoint('PASSIVE')
  }, pauseMs)
}

function walBytes() {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

function checkpoint(mode) {
  const [{ timeout }] = connection.prepare('PRAGMA busy_timeout').all()
  try {
    connection.exec(`PRAGMA busy_timeout=${CHECKPOINT_WAIT_MS}`)
    connection.prepare(`PRAGMA wal_checkpoint(${mode})`).all()
  } catch {
    // Such as a full disk: the log stays, and the next commit tries again.
  } finally {
    connection.exec(`PRAGMA busy_timeout=${timeout}`)
  }
}

const OPERATIONS = {
  run: ({ statements: list, rows }) => run(list, rows),
  begin,
  beginWrite,
  runInWrite: ({ statements: list, rows }) => runInWrite(list, rows),
  endWrite: ({ keep }) => endWrite(keep),
  commit,
  optimize: () => connection.exec('PRAGMA optimize'),
  close: () => {
    clearTimeout(idleTimer)
    statements.clear()
    // SQLite's own checkpoint, when the last connection closes, waits for all prepared statements to be collected.
    if (parentPort) checkpoint('TRUNCATE')
    connection.close()
  },
}

function answer(message) {
  lastMessageAt = Date.now()
  try {
    return OPERATIONS[message.do](message)
  } catch (error) {
    return { error: { message: error.message, code: error.code, errcode: error.errcode } }
  }
}

function msSince(before) {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function send(answers) {
  if (parentPort) parentPort.postMessage(answers, [])
  // The service has gone; the listener ends this process too.
  else if (process.connected) process.send(answers)
}

;(parentPort ?? process).on('message', (messages) => {
  const answers = []
  for (const message of messages) {
    const before = parentPort ? undefined : process.cpuUsage()
    const result = answer(message)
    if (message.id !== undefined)
      answers.push({ id: message.id, ...result, ...(before && { busyMs: msSince(before) }) })
  }
  if (answers.length > 0) send(answers)
})
if (!parentPort) {
  process.on('disconnect', () => process.exit())
  // Ctrl-C reaches the service and its processes; the service decides when they end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
}
