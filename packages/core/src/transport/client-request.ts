import http from 'node:http'

/**
 * Node's own class. In the process of the tests, which is the reporter's too under `jest --runInBand`, nock replaces it by a
 * class that inherits from it, and MSW by a proxy of it.
 */
export const ClientRequest = findOriginal()

function findOriginal(): typeof http.ClientRequest {
  let prototype = http.ClientRequest.prototype as object
  for (;;) {
    const parent = Object.getPrototypeOf(prototype) as object | null
    if (parent === null || parent === http.OutgoingMessage.prototype) break
    prototype = parent
  }
  return prototype.constructor as typeof http.ClientRequest
}
