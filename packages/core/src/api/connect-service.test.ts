import os from 'node:os'
import type { RequestListener } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { TestServers } from '../../../../test/support/sockets'
import { connectService } from './connect-service'

it('has no more requests under way than concurrency allows', async () => {
  const servers = new TestServers()
  let [now, most] = [0, 0]
  const port = await servers.http((_, response) => {
    most = Math.max(most, (now += 1))
    setTimeout(() => {
      now -= 1
      response.end('{}')
    }, 20)
  })
  const options = { url: `http://127.0.0.1:${port}`, apiKey: 'rl_user_0123456789abcdef', concurrency: 3 }
  const { client, close } = await connectService({ options, env: {}, projectRoot: os.tmpdir() })
  await Promise.all(Array.from({ length: 12 }, () => client.getRun({ params: { id: 'x' } })))
  await close()
  await servers.stop()
  expect(most).toBe(3)
})

describe('pages and bytes', () => {
  const servers = new TestServers()
  afterAll(() => servers.stop())

  async function connect(listener: RequestListener) {
    const url = `http://127.0.0.1:${await servers.http(listener)}`
    const options = { url, apiKey: 'rl_user_0123456789abcdef' }
    return connectService({ options, env: {}, projectRoot: os.tmpdir() })
  }

  it('takes the key to a page of the service, and says why it is refused', async () => {
    const { readPage, close } = await connect(({ url, headers }, response) => {
      if (url === '/runs/a.md') return void response.end(`# ${headers.authorization}`)
      response.statusCode = 404
      response.end('404: The run with the id "b" was not found.\nSee more.\n')
    })
    expect(await readPage('/runs/a.md')).toBe('# Bearer rl_user_0123456789abcdef')
    await expect(readPage('/runs/b.md')).rejects.toThrow(/404: The run with the id "b" was not found\.$/)
    await close()
  })

  it.each([206, 200])('reads some bytes without the key, also where all are sent (%i)', async (status) => {
    const asked: unknown[] = []
    const { readBytes, url, close } = await connect(({ headers }, response) => {
      asked.push([headers.range, headers.authorization])
      response.statusCode = status
      response.end(status === 206 ? 'cde' : 'abcdefgh')
    })
    expect(await readBytes(`${url}/downloads/1`, { start: 2, end: 4 })).toBe('cde')
    expect(asked).toEqual([['bytes=2-4', undefined]])
    await close()
  })
})
