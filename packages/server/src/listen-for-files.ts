import type { FastifyInstance } from 'fastify'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FILES_SETTINGS } from './base/config/files-origin'
import type { ServerConfig } from './base/config/server-config'
import { StartError } from './base/errors'

/**
 * Listens for the origin of files and returns it: empty behind a proxy that no setting names. A port that was not chosen is replaced by
 * a free one if it cannot be opened: addresses name the port. @throws StartError for a port that was chosen
 */
export async function listenForFiles(app: FastifyInstance, config: ServerConfig): Promise<string> {
  const { host, publicUrl, filesOrigin, filesPort } = config
  if (publicUrl !== undefined && filesOrigin === undefined) return ''
  const port = filesPort ?? Math.max(0, config.port - 1)
  const isChosen = filesPort !== undefined || filesOrigin !== undefined
  try {
    await app.listen({ host, port })
  } catch (error) {
    if (isChosen) throw describeFilesPort(port, error)
    await app.listen({ host, port: 0 })
  }
  return filesOrigin ?? listeningUrl(host, app.server)
}

function describeFilesPort(port: number, cause: unknown): StartError {
  const { flag, variable } = FILES_SETTINGS.filesPort
  const message = `Port ${port}, which serves the origin of attachments, cannot be opened (${String((cause as { code?: unknown }).code)}). Give another with ${flag} (${variable}), or 0 for a free one.`
  return new StartError(message, { cause })
}

/** The address at which this machine reaches a server that listens on a host. */
export function listeningUrl(host: string, server: Server): string {
  const { port } = server.address() as AddressInfo
  return `http://${toHost(host)}:${port}`
}

/** The host of an address at which this machine reaches what listens there. */
export function toHost(host: string): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host
  return name.includes(':') ? `[${name}]` : name
}
