import { once } from 'node:events'
import { ask, atOnce, connect, send, sleep } from '../client.mjs'
import { createRun, list } from './bodies.mjs'

const JSON_HEADERS = { 'content-type': 'application/json' }

/** @type {Record<string, import('./index.mjs').Attack>} */
export const ACCESS_ATTACKS = {
  'sign-in-lockout': { about: 'wrong sign-ins, so that nobody else gets in', run: lockOut },
  'kept-session': {
    about: 'a session that was opened by the link at the start and outlives every key',
    run: keepSession,
  },
  'revoked-key': {
    about: 'requests that are begun with a key, and ended when it is revoked',
    run: useRevokedKey,
  },
  'cross-site-session': { about: 'changes by the cookie of somebody who is signed in', run: abuseCookie },
  'station-key': { about: 'a station that changes what its runs are not about', run: abuseStationKey },
  'user-roles': { about: 'a viewer that changes, and a member that deletes', run: abuseRoles },
  'project-key': {
    about: 'a project key that reads, and reaches into another procedure',
    run: abuseProjectKey,
  },
  'replaced-image': { about: 'other bytes at an address where an image was sent to', run: replaceImage },
  'signed-addresses': {
    about: 'addresses of attachments with an expiry, purpose or id of our own',
    run: forgeAddresses,
  },
}

const TOKEN_HEADER = 'runledger-session-token'

/** Signs in; `cookie` is undefined when it was refused. */
async function signIn({ url }, credentials, localAddress) {
  const answer = await ask(`${url}/session`, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: JSON.stringify(credentials),
    localAddress,
  })
  return { ...answer, cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] }
}

/** What a service behind a proxy sees: everybody has the same address. */
async function lockOut({ target, claim, isSmall }) {
  const wrong = await atOnce(isSmall ? 100 : 1_000, (index) => signIn(target, { key: `rl_user_${index}` }))
  claim(
    wrong.every(({ status }) => status === 401 || status === 429),
    `wrong ones were answered ${list(wrong)}`,
  )
  claim(
    wrong.some(({ status }) => status === 429),
    `none of ${wrong.length} wrong ones was told to wait`,
  )
  const right = await signIn(target, { key: target.apiKey })
  claim(right.status === 200, `the right key was answered ${right.status}`)
  const link = await signIn(target, { code: new URL(target.signInUrl).searchParams.get('code') })
  claim(link.status === 200, `the sign-in link was answered ${link.status}`)
  return `${list(wrong)}; then the right key ${right.status}, and the link ${link.status}`
}

async function readWith({ url }, cookie) {
  const { status } = await ask(`${url}/v2/runs`, { headers: { cookie } })
  return status
}

async function keepSession({ target, claim }) {
  const { cookie } = await signIn(target, { code: new URL(target.signInUrl).searchParams.get('code') })
  const before = await readWith(target, cookie)
  claim(before === 200, `the session was answered ${before} at first`)
  const { json } = await send(target, 'GET', '/v2/keys')
  for (const { id } of json.data) await send(target, 'POST', `/v2/keys/${id}/regenerate`)
  const after = await readWith(target, cookie)
  claim(after === 401, `the session was answered ${after} after every key was regenerated`)
  const again = await signIn(target, { code: new URL(target.signInUrl).searchParams.get('code') })
  claim(again.status === 401, `the used link was answered ${again.status}`)
  return `the session reads ${before}, and ${after} after every key was regenerated; the same link again ${again.status}`
}

async function useRevokedKey({ target, claim }) {
  const { id, key } = (await send(target, 'POST', '/v2/keys', { kind: 'user', name: 'soon gone' })).json
  const run = (await send(target, 'POST', '/v1/runs', createRun(target))).json
  const requests = {
    'making a key': ['POST', '/v2/keys', '{"kind":"user","name":"mine"}'],
    'creating a run': ['POST', '/v1/runs', JSON.stringify(createRun(target))],
    'deleting a run': ['DELETE', `/v1/runs/${run.id}`, '{}'],
    'a link to sign in': ['POST', '/v2/sign-in-links', '{}'],
  }
  const begun = Object.entries(requests).map(([what, [method, path, body]]) => {
    const socket = connect(target)
    const head = `${method} ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n`
    const about = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    socket.write(head + about + body.slice(0, -1))
    return { what, socket, last: body.slice(-1) }
  })
  await sleep(500)
  const revoked = await send(target, 'DELETE', `/v2/keys/${id}`)
  claim(revoked.status === 200, `revoking the key was answered ${revoked.status}`)
  const got = []
  for (const { what, socket, last } of begun) {
    const answered = Promise.race([once(socket, 'data'), once(socket, 'close')])
    socket.write(last)
    const status = String((await answered)[0]).slice(9, 12)
    claim(status === '401', `${what} was answered ${status}`)
    got.push(`${what} ${status}`)
    socket.destroy()
  }
  return `the key was revoked before the last byte: ${got.join(', ')}`
}

async function abuseCookie({ target, claim }) {
  const { cookie } = await signIn(target, { key: target.apiKey })
  const { token } = JSON.parse((await signIn(target, { key: target.apiKey })).text)
  const foreign = { cookie, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
  // Who got the cookie at another port of the host, and opened a session of their own.
  const stolen = { cookie, [TOKEN_HEADER]: token, origin: target.url, 'sec-fetch-site': 'same-origin' }
  const answers = []
  for (const headers of [foreign, stolen, { ...stolen, [TOKEN_HEADER]: '' }])
    answers.push(...(await tryChanges(target, headers)))
  claim(
    answers.every(({ status }) => status === 401),
    `changes were answered ${list(answers)}`,
  )
  const preflight = await ask(`${target.url}/v2/runs`, { method: 'OPTIONS', headers: foreign })
  claim(preflight.headers['access-control-allow-origin'] === undefined, 'other origins are let in')
  return `changes with the cookie alone: ${list(answers)}`
}

async function tryChanges({ url }, headers) {
  const post = { method: 'POST', headers: { ...headers, ...JSON_HEADERS }, body: '{"name":"x"}' }
  return [
    await ask(`${url}/v2/procedures`, post),
    await ask(`${url}/v2/runs?ids=a`, { method: 'DELETE', headers }),
    await ask(`${url}/v2/keys`, post),
  ]
}

async function abuseStationKey({ target, claim }) {
  const procedure = (await send(target, 'GET', '/v2/procedures')).json.data[0]
  const station = (
    await send(target, 'POST', '/v2/stations', { name: 'bench 1', procedure_id: procedure.id })
  ).json
  const body = { kind: 'station', name: 'bench 1', station_id: station.id }
  const { key } = (await send(target, 'POST', '/v2/keys', body)).json
  const other = { serial_number: 'OTHER-1', part_number: 'LAMP', revision: 'A' }
  await send(target, 'POST', '/v1/runs/create', createRun(target, { unit_under_test: other }))
  const { id, upload_url } = (
    await send(target, 'POST', '/v2/units/OTHER-1/attachments', { name: 'photo.txt' })
  ).json
  await ask(upload_url, { method: 'PUT', body: 'photo' })
  const held = { serial_number: 'HELD-1', part_number: 'LAMP', revision: 'A' }
  await send(target, 'POST', '/v1/runs/create', createRun(target, { unit_under_test: held }))
  await send(target, 'PUT', '/v2/units/OTHER-1/children', { child_serial_number: 'HELD-1' })
  const own = await send(target, 'POST', '/v1/runs/create', createRun(target), { key })
  const others = (await send(target, 'POST', '/v1/runs/create', createRun(target))).json
  await send(target, 'PATCH', `/v2/runs/${others.id}/metadata`, { metadata: { site: 'Lyon' } })
  const free = { serial_number: 'FREE-1', part_number: 'LAMP', revision: 'A' }
  await send(target, 'POST', '/v1/runs/create', createRun(target, { unit_under_test: free }))
  const subUnits = { sub_units: [{ serial_number: 'HELD-1' }] }
  const tries = {
    'adding an attachment': ['POST', '/v2/units/OTHER-1/attachments', { name: 'other.txt' }],
    'taking a child': ['PUT', '/v2/units/ATTACKED-1/children', { child_serial_number: 'HELD-1' }],
    'taking a unit that is in no other': [
      'PUT',
      '/v2/units/ATTACKED-1/children',
      { child_serial_number: 'FREE-1' },
    ],
    'taking a sub-unit': ['PATCH', '/v1/units/ATTACKED-1', subUnits],
    'removing a child': ['DELETE', '/v2/units/OTHER-1/children?child_serial_number=HELD-1'],
    'deleting an attachment': ['DELETE', `/v2/units/OTHER-1/attachments?ids=${id}`],
    renaming: ['PATCH', '/v2/units/OTHER-1', { new_serial_number: 'MINE' }],
    'removing metadata of a run': ['PATCH', `/v2/runs/${others.id}/metadata`, { metadata: { site: null } }],
    'replacing metadata of a run': [
      'PATCH',
      `/v2/runs/${others.id}/metadata`,
      { metadata: { site: 'Paris' } },
    ],
    'deleting the unit': ['DELETE', '/v2/units?serial_numbers=OTHER-1'],
    'making a key': ['POST', '/v2/keys', { kind: 'user', name: 'mine' }],
    'listing keys': ['GET', '/v2/keys'],
    'listing stations': ['GET', '/v2/stations'],
    'a link to sign in': ['POST', '/v2/sign-in-links'],
  }
  const got = []
  for (const [what, [method, path, content]] of Object.entries(tries)) {
    const { status } = await send(target, method, path, content, { key })
    claim(status === 403, `${what} was answered ${status}`)
    got.push(`${what} ${status}`)
  }
  const photo = (await send(target, 'POST', '/v2/attachments', { name: 'photo.txt' })).json
  await ask(photo.upload_url, { method: 'PUT', body: 'photo' })
  const linked = await send(target, 'PATCH', `/v2/runs/${own.json.id}`, { attachments: [photo.id] }, { key })
  claim(linked.status === 404, `linking the upload of a user was answered ${linked.status}`)
  got.push(`linking the upload of a user ${linked.status}`)
  const unit = (await send(target, 'GET', '/v2/units/OTHER-1')).json
  claim(unit?.attachments?.length === 1, 'the unit lost its attachment, or has another')
  claim(unit?.children?.length === 1, 'the unit lost what it holds')
  await send(target, 'DELETE', `/v2/stations/${station.id}/procedures/${procedure.id}`)
  const revision = await send(target, 'POST', '/v2/parts/LAMP/revisions', { number: 'Z' }, { key })
  claim(
    revision.status === 403,
    `a revision by a station that is linked to nothing was answered ${revision.status}`,
  )
  const mine = await send(target, 'PATCH', '/v2/units/ATTACKED-1', { metadata: { a: 'b' } }, { key })
  claim(
    own.status === 200 && mine.status === 200,
    `its own unit was answered ${own.status} and ${mine.status}`,
  )
  return got.join(', ')
}

async function abuseRoles({ target, claim }) {
  const { id } = (await send(target, 'POST', '/v1/runs', createRun(target))).json
  const unknown = '0a1b2c3d-0000-4000-8000-000000000000'
  const ofAdmins = [
    ['DELETE', (run) => `/v2/runs?ids=${run}`],
    ['DELETE', (run) => `/v1/runs/${run}`],
    ['DELETE', () => '/v2/sessions'],
    ['GET', () => '/v2/keys'],
    ['POST', () => '/v2/keys', { kind: 'user', name: 'mine', role: 'admin' }],
    ['PATCH', () => '/v2/settings', { 'plan.upgrade_required': true }],
  ]
  const tries = {
    viewer: [
      ...ofAdmins,
      ['POST', () => '/v1/runs', createRun(target)],
      ['PATCH', (run) => `/v2/runs/${run}/metadata`, { metadata: { site: 'Lyon' } }],
      ['POST', () => '/v2/attachments', { name: 'a.txt' }],
    ],
    member: ofAdmins,
  }
  const got = []
  for (const [role, requests] of Object.entries(tries)) {
    const { key } = (await send(target, 'POST', '/v2/keys', { kind: 'user', name: role, role })).json
    for (const [method, pathOf, content] of requests) {
      const [known, other] = [
        await send(target, method, pathOf(id), content, { key }),
        await send(target, method, pathOf(unknown), content, { key }),
      ]
      const what = `${method} ${pathOf('…')} of a ${role}`
      claim(known.status === 403 && other.status === 403, `${what}: ${known.status}, ${other.status}`)
      claim(JSON.stringify(known.json) === JSON.stringify(other.json), `${what} tells whether there is one`)
    }
    const { status } = await send(target, 'GET', `/v2/runs/${id}`, undefined, { key })
    claim(status === 200, `reading as a ${role} was answered ${status}`)
    got.push(`${requests.length} requests of a ${role} refused`)
  }
  return got.join(', ')
}

async function makeProject(target, name) {
  const { id } = (await send(target, 'POST', '/v2/procedures', { name })).json
  const { key } = (await send(target, 'POST', '/v2/keys', { kind: 'project', name, procedure_id: id })).json
  return { procedureId: id, key }
}

async function uploadAs(target, key) {
  const { id, upload_url } = (await send(target, 'POST', '/v2/attachments', { name: 'a.txt' }, { key })).json
  await ask(upload_url, { method: 'PUT', body: 'a' })
  return id
}

async function abuseProjectKey({ target, claim }) {
  const [own, other] = [await makeProject(target, 'own'), await makeProject(target, 'other')]
  const { key } = own
  const mine = await send(target, 'POST', '/v1/runs', createRun(own), { key })
  const others = (await send(target, 'POST', '/v1/runs', createRun(other))).json
  const linked = await uploadAs(target)
  await send(target, 'PATCH', `/v2/runs/${others.id}`, { attachments: [linked] })
  const link = (id) => [404, 'PATCH', `/v2/runs/${mine.json.id}`, { attachments: [id] }]
  const tries = {
    'a run of another procedure': [403, 'POST', '/v1/runs', createRun(other)],
    'reading its run': [403, 'GET', `/v2/runs/${mine.json.id}`],
    'listing procedures': [403, 'GET', '/v2/procedures'],
    'the quarantine of another procedure': [
      403,
      'GET',
      `/v2/quarantine/list?procedure_id=${other.procedureId}`,
    ],
    'metadata of a run of another': [
      404,
      'PATCH',
      `/v2/runs/${others.id}/metadata`,
      { metadata: { a: 'b' } },
    ],
    'deleting its run': [403, 'DELETE', `/v2/runs?ids=${mine.json.id}`],
    'listing uploads': [403, 'GET', '/v2/attachments'],
    'making a key': [403, 'POST', '/v2/keys', { kind: 'user', name: 'mine' }],
    'a link to sign in': [403, 'POST', '/v2/sign-in-links'],
    'linking the upload of a user': link(await uploadAs(target)),
    'linking the upload of another project key': link(await uploadAs(target, other.key)),
    'linking the file of another run': link(linked),
  }
  const got = []
  for (const [what, [expected, method, path, content]] of Object.entries(tries)) {
    const { status } = await send(target, method, path, content, { key })
    claim(status === expected, `${what} was answered ${status}`)
    got.push(`${what} ${status}`)
  }
  const refuse = async (procedureId) =>
    (await send(target, 'POST', '/v1/runs', createRun({ procedureId }), { key })).text.replaceAll(
      procedureId,
      '',
    )
  const unknown = '0a1b2c3d-0000-4000-8000-000000000000'
  claim(
    (await refuse(other.procedureId)) === (await refuse(unknown)),
    'the refusal tells whether there is a procedure',
  )
  const { cookie, status } = await signIn(target, { key })
  claim(cookie === undefined, `signing in was answered ${status}`)
  const [, ...request] = link(await uploadAs(target, key))
  const honest = await send(target, ...request, { key })
  claim(
    mine.status === 200 && honest.status === 200,
    `its own run was answered ${mine.status}, ${honest.status}`,
  )
  return got.join(', ')
}

async function replaceImage({ target, claim }) {
  const station = (await send(target, 'POST', '/v2/stations', { name: 'bench 1' })).json
  const { id, upload_url } = (await send(target, 'POST', '/v2/attachments', { name: 'image.png' })).json
  await ask(upload_url, { method: 'PUT', body: 'the image' })
  await send(target, 'PATCH', `/v2/stations/${station.id}`, { image_id: id })
  const { status } = await ask(upload_url, { method: 'PUT', body: 'another image' })
  claim(status === 409, `another image was answered ${status}`)
  return `another image at the same address: ${status}`
}

async function forgeAddresses({ target, claim }) {
  const { id, upload_url } = (await send(target, 'POST', '/v2/attachments', { name: 'a.txt' })).json
  await ask(upload_url, { method: 'PUT', body: 'a' })
  const run = (await send(target, 'POST', '/v1/runs/create', createRun(target))).json
  await send(target, 'PATCH', `/v2/runs/${run.id}`, { attachments: [id] })
  const { download_url } = (await send(target, 'GET', `/v2/runs/${run.id}`)).json.attachments[0]
  const change = (address, alter) => {
    const url = new URL(address)
    alter(url)
    return url.href
  }
  const forged = {
    'a later expiry': change(download_url, (url) => url.searchParams.set('expires', '999999999999')),
    'an expiry of 400 digits': change(download_url, (url) =>
      url.searchParams.set('expires', '9'.repeat(400)),
    ),
    'an expiry that is no number': change(download_url, (url) => url.searchParams.set('expires', 'Infinity')),
    'two expiries': `${download_url}&expires=999999999999`,
    'no signature': change(download_url, (url) => url.searchParams.delete('signature')),
    'an empty signature': change(download_url, (url) => url.searchParams.set('signature', '')),
    'the address of the upload': upload_url.replace('/uploads/', '/downloads/'),
    'another id': download_url.replace(id, '00000000-0000-4000-8000-000000000000'),
    'a signature of 10,000 characters': change(download_url, (url) =>
      url.searchParams.set('signature', 'a'.repeat(10_000)),
    ),
  }
  const got = []
  for (const [what, address] of Object.entries(forged)) {
    const { status } = await ask(address)
    claim(status === 403, `${what} was answered ${status}`)
    got.push(`${what} ${status}`)
  }
  const put = await ask(download_url.replace('/downloads/', '/uploads/'), { method: 'PUT', body: 'b' })
  claim(put.status === 403, `an upload to the address of a download was answered ${put.status}`)
  const honest = await ask(download_url)
  claim(honest.status === 200, `the true address was answered ${honest.status}`)
  return got.join(', ')
}
