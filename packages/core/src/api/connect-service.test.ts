import os from 'node:os'
import { expect, it } from 'vitest'
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
