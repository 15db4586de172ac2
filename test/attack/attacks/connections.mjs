import { ask, atOnce, connect, send, sleep } from '../client.mjs'
import { list } from './bodies.mjs'

/** @type {Record<string, import('./index.mjs').Attack>} */
export const CONNECTION_ATTACKS = {
  'slow-headers': { about: 'requests whose headers never end', run: sendSlowHeaders, onlyWaits: true },
  'idle-connections': { about: 'connections on which nothing comes', run: openIdle, onlyWaits: true },
  'pipelined-requests': {
    about: 'requests that wait for no response, with bogus keys and malformed paths',
    run: floodPipelines,
  },
  'header-flood': { about: 'requests of many and of long headers', run: floodHeaders },
  'query-flood': { about: 'long and nested query strings', run: floodQueries },
}

async function sendSlowHeaders({ target, claim, claimFast, isSmall }) {
  const count = isSmall ? 300 : 1_000
  const seconds = 25
  let open = count
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(target)
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n')
    const timer = setInterval(() => socket.write(`x-${Math.random()}: a\r\n`), 1_000)
    socket.once('close', () => {
      clearInterval(timer)
      open -= 1
    })
    return socket
  })
  await sleep(2_000)
  await claimReachable({ target, claim, claimFast })
  await sleep(seconds * 1_000)
  claim(open === 0, `${open} of ${count} were still waited for after ${seconds + 2} s`)
  const left = open
  for (const socket of sockets) socket.destroy()
  return `${count} requests that send a header a second; after ${seconds + 2} s ${left} were still waited for`
}

async function openIdle({ target, claim, claimFast, isSmall }) {
  const count = isSmall ? 1_500 : 4_000
  let open = count
  const sockets = []
  for (let index = 0; index < count; index += 1) {
    const socket = connect(target)
    socket.once('close', () => (open -= 1))
    sockets.push(socket)
    if (index % 200 === 0) await sleep(20)
  }
  await sleep(1_000)
  for (let again = 0; again < 10; again += 1) await claimReachable({ target, claim, claimFast })
  const atFirst = open
  await sleep(20_000)
  claim(open === 0, `${open} of ${count} were still open after 20 s`)
  const left = open
  for (const socket of sockets) socket.destroy()
  return `${count} connections, of which ${atFirst} were open after a second and ${left} after 20 s more`
}

async function floodPipelines({ target, claim, claimFast, isSmall }) {
  const count = isSmall ? 10_000 : 100_000
  const connections = 50
  const bogus = `rl_user_${'a'.repeat(43)}`
  const heads = [
    ['/v2/runs', 'none'],
    ['/v2/runs', bogus],
    ['/%', 'none'],
    [`/v2/runs/${'a'.repeat(501)}`, 'none'],
    ['/healthz', 'none'],
  ].map(([path, key]) => `GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n\r\n`)
  const sockets = Array.from({ length: connections }, (_, index) => {
    const socket = connect(target)
    socket.resume()
    socket.write(heads[index % heads.length].repeat(count / connections))
    return socket
  })
  for (let again = 0; again < 5; again += 1) {
    await claimReachable({ target, claim, claimFast })
    await sleep(500)
  }
  const open = sockets.filter(({ destroyed }) => !destroyed).length
  claim(open === 0, `${open} of ${connections} connections were still served after 2.5 s`)
  for (const socket of sockets) socket.destroy()
  return `${count} requests on ${connections} connections, of which ${open} were open at the end`
}

async function claimReachable({ target, claim, claimFast }) {
  const answer = await send(target, 'GET', '/v2/procedures?limit=1', undefined, { timeoutMs: 5_000 })
  claim(answer.status === 200, `a new client was answered ${answer.status}`)
  claimFast(answer.ms, 1_000, 'the request of a new client')
}

async function floodHeaders({ target, claim, isSmall }) {
  const rounds = isSmall ? 50 : 500
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x-${index}`, '1']))
  const long = { 'x-long': 'a'.repeat(1024 * 1024) }
  const cookies = { cookie: Array.from({ length: 1_000 }, (_, index) => `a${index}=b`).join('; ') }
  const key = { authorization: `Bearer${' '.repeat(14_000)}x` }
  const answers = []
  for (let round = 0; round < rounds; round += 10) {
    for (const headers of [many, long, cookies, key])
      answers.push(...(await atOnce(10, () => ask(`${target.url}/v2/runs`, { headers }))))
  }
  claim(
    answers.every(({ status }) => status === 0 || status >= 400),
    `they were answered ${list(answers)}`,
  )
  return `${answers.length} requests: ${list(answers)}`
}

async function floodQueries({ target, claim, claimFast, isSmall }) {
  const rounds = isSmall ? 20 : 200
  const fill = (piece) => piece.repeat(Math.floor(14_000 / piece.length))
  const queries = [
    fill('&ids=a'),
    fill('&metadata[a][in]=1'),
    fill('&a[b]=1'),
    `&search_query=${fill('%25_')}`,
    `&serial_numbers=${fill('[')}`,
    fill('&[]='),
    `&metadata${fill('[a]')}=1`,
    `&cursor=${fill('9')}`,
  ]
  const answers = []
  for (let round = 0; round < rounds; round += 1)
    answers.push(
      ...(await Promise.all(queries.map((query) => send(target, 'GET', `/v2/runs?limit=1${query}`)))),
    )
  const slow = Math.max(...answers.map(({ ms }) => ms))
  claim(
    answers.every(({ status }) => status === 200 || status === 400),
    `they were answered ${list(answers)}`,
  )
  claimFast(slow, 1_000, 'the slowest answer')
  return `${answers.length} requests: ${list(answers)}`
}
