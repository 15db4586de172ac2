import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { CHALLENGE_HEADER, OPERATION_ROUTES, PROOF_HEADER, proofText } from '@runledger/protocol'
import type { ServiceIdentity } from '../config/resolve-options'

const PATIENCE_MS = 10_000
const MOST_BYTES = 16 * 1024
const HEAD_END = '\r\n\r\n'
const PROOF = new RegExp(`^${PROOF_HEADER}: *([0-9a-f]{64})\\r$`, 'im')

/** Another user of this machine may listen on the port of the local service. */
export async function isProven(socket: Duplex, { url, secret }: ServiceIdentity): Promise<boolean> {
  const { pathname, host } = new URL(url)
  const challenge = randomBytes(32).toString('hex')
  const path = pathname.replace(/\/+$/, '') + OPERATION_ROUTES.getHealth.path
  const answered = readHead(socket)
  socket.write(`HEAD ${path} HTTP/1.1\r\nhost: ${host}\r\n${CHALLENGE_HEADER}: ${challenge}${HEAD_END}`)
  const given = Buffer.from(PROOF.exec(await answered)?.[1] ?? '', 'hex')
  const expected = createHmac('sha256', secret).update(proofText(challenge, url)).digest()
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Empty if the head does not come, or more follows it. */
function readHead(socket: Duplex): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const end = (head: string) => {
      clearTimeout(timer)
      socket.off('readable', read).off('close', fail).off('end', fail)
      resolve(head)
    }
    const fail = () => end('')
    const read = () => {
      for (let bytes: unknown; (bytes = socket.read()) !== null;) text += String(bytes)
      if (text.includes(HEAD_END)) return end(text.endsWith(HEAD_END) ? text : '')
      if (text.length > MOST_BYTES) fail()
    }
    const timer = setTimeout(fail, PATIENCE_MS)
    socket.on('readable', read).on('close', fail).on('end', fail)
  })
}
