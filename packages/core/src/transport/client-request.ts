import http from 'node:http'

/**
 * Node's own class. Under `jest --runInBand`, the tests share our process: nock replaces the class by a subclass, and
 * MSW by a proxy.
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
