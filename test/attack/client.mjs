import http from 'node:http'
import net from 'node:net'

/**
 * One request on a connection of its own, answered or not: an attacker does not mind. `status` is 0 when the connection
 * ended, or the time was over, before a response came.
 * @typedef {{ status: number, headers: http.IncomingHttpHeaders, text: string, ms: number }} Answer
 * @param {string} url
 * @param {{ method?: string, headers?: http.OutgoingHttpHeaders, body?: string | Buffer | ((request: http.ClientRequest) => void),
 *   timeoutMs?: number, path?: string, localAddress?: string }} [options] `path` is sent as it is, with no dots resolved
 * @returns {Promise<Answer>}
 */
export function ask(
  url,
  { method = 'GET', headers = {}, body, timeoutMs = 30_000, path, localAddress } = {},
) {
  const began = performance.now()
  return new Promise((resolve) => {
    let text = ''
    const end = (status = 0, answered = {}) => {
      clearTimeout(timer)
      resolve({ status, headers: answered, text, ms: performance.now() - began })
      request.destroy()
    }
    const plain = typeof body === 'string' || Buffer.isBuffer(body)
    const length = plain ? { 'content-length': Buffer.byteLength(body) } : {}
    const options = { method, headers: { ...length, ...headers }, agent: false, localAddress }
    const request = http.request(url, path === undefined ? options : { ...options, path }, (response) => {
      response.on('data', (chunk) => (text += chunk))
      response.on('error', () => end(response.statusCode, response.headers))
      response.on('close', () => end(response.statusCode, response.headers))
    })
    const timer = setTimeout(end, timeoutMs)
    request.on('error', () => end())
    if (typeof body === 'function') body(request)
    else request.end(body)
  })
}

/**
 * The same with a key and a body of JSON.
 * @param {{ url: string, apiKey: string }} service
 * @param {string} method @param {string} path @param {unknown} [body]
 * @param {{ key?: string, timeoutMs?: number }} [options]
 */
export async function send({ url, apiKey }, method, path, body, { key = apiKey, timeoutMs } = {}) {
  const answer = await ask(url + path, {
    method,
    timeoutMs,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { ...answer, json: parse(answer.text) }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A raw connection; errors are the server's way to say no. @param {{ url: string }} service */
export function connect({ url }) {
  const { hostname, port } = new URL(url)
  return net
    .connect({ host: hostname, port: Number(port) })
    .on('error', () => {})
    .resume()
}

/** Sends a body in pieces, as fast as it is taken, without holding it all. @param {number} bytes */
export function pour(bytes, piece = Buffer.alloc(256 * 1024, 'a')) {
  return (/** @type {http.ClientRequest} */ request) => {
    let left = bytes
    const more = () => {
      while (left > 0 && !request.destroyed) {
        const size = Math.min(left, piece.length)
        left -= size
        if (!request.write(size === piece.length ? piece : piece.subarray(0, size))) {
          request.once('drain', more)
          return
        }
      }
      if (!request.destroyed) request.end()
    }
    more()
  }
}

/** @param {number} ms */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Runs work `count` times at once. @template T @param {number} count @param {(index: number) => Promise<T>} work */
export function atOnce(count, work) {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)))
}
