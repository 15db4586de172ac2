import { describe, expect, it } from 'vitest'
import { parseStorageAddress } from './storage-address'

describe('parseStorageAddress', () => {
  it.each([
    ['s3://runs', 'https://runs.s3.us-east-1.amazonaws.com/', '', 'us-east-1'],
    ['s3://runs/?region=eu-west-1', 'https://runs.s3.eu-west-1.amazonaws.com/', '', 'eu-west-1'],
    ['s3://runs/ci//a/?endpoint=http://127.0.0.1:9000', 'http://127.0.0.1:9000/runs/', 'ci/a/', 'us-east-1'],
    [
      's3://runs?endpoint=https%3A%2F%2Fs3.example.com%2Fstore%2F',
      'https://s3.example.com/store/runs/',
      '',
      'us-east-1',
    ],
  ])('reads %s', (text, bucketUrl, prefix, region) => {
    expect(parseStorageAddress(text)).toEqual({ bucket: 'runs', bucketUrl, prefix, region })
  })

  it.each([
    ['https://runs', /address of a bucket/],
    ['s3://', /address of a bucket/],
    ['s3://user@runs', /address of a bucket/],
    ['s3://Runs', /address of a bucket/],
    ['s3://runs?secret=hunter2', /has "secret"/],
    ['s3://runs?endpoint=s3.example.com', /endpoint such as/],
    ['s3://runs?endpoint=https://key:secret@s3.example.com', /endpoint such as/],
    ['s3://runs?endpoint=https://:secret@s3.example.com', /endpoint such as/],
    ['s3://runs/a b', /only letters/],
    ['s3://runs/a/../b', /only letters/],
  ])('refuses %s', (text, message) => {
    expect(() => parseStorageAddress(text)).toThrow(message)
  })
})
