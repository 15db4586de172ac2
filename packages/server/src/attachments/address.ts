import type { Context } from '../context'

export const UPLOADS_PATH = '/uploads'
export const DOWNLOADS_PATH = '/downloads'

/** Where the bytes of an attachment are PUT; the PUT must start before the address expires. */
export function createUploadUrl({ publicUrl, signer, config }: Context, id: string): string {
  return `${publicUrl}${UPLOADS_PATH}/${id}?${signer.sign('upload', id, config.uploadLifeSeconds)}`
}

/** Where the bytes of an attachment are read, for a while. */
export function createDownloadUrl({ publicUrl, signer, config }: Context, id: string): string {
  return `${publicUrl}${DOWNLOADS_PATH}/${id}?${signer.signSteadily('download', id, config.downloadLifeSeconds)}`
}
