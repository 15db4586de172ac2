export function listTestFiles(): { file: string; set: string | undefined }[]
export function listSet(set: string, folder: 'packages' | 'test'): string[]
