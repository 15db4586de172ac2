export interface ServiceAddress {
  url: string
  apiKey: string
}

/** A client of the HTTP interface. A request throws unless its response is a success. */
export class Client {
  constructor(
    private readonly address: ServiceAddress,
    private readonly signal?: AbortSignal,
  ) {}

  withKey(apiKey: string): Client {
    return new Client({ ...this.address, apiKey }, this.signal)
  }

  /** `operation` is a method and a path, such as `GET /v2/runs`. */
  async send<Answer>(
    operation: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const [method = '', path = ''] = operation.split(' ')
    const response = await fetch(`${this.address.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.address.apiKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
      ...(this.signal && { signal: this.signal }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${operation} answered ${response.status}: ${text}`)
    return JSON.parse(text) as Answer
  }

  /** Uploads a file, and returns the id of the attachment. */
  async upload({
    name,
    contentType,
    bytes,
  }: {
    name: string
    contentType: string
    bytes: Uint8Array
  }): Promise<string> {
    const { id, upload_url } = await this.send<{ id: string; upload_url: string }>('POST /v2/attachments', {
      name,
    })
    const response = await fetch(upload_url, {
      method: 'PUT',
      headers: { 'content-type': contentType },
      body: bytes as Uint8Array<ArrayBuffer>,
      ...(this.signal && { signal: this.signal }),
    })
    if (!response.ok) throw new Error(`PUT of ${name} answered ${response.status}: ${await response.text()}`)
    return id
  }
}
