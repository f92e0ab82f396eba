import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostOf, isMetadataAddress, isPublicAddress, literalAddress } from './addresses.js';

const inside = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
];
const outside = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.0.1.1',
  '198.20.0.1',
];

describe('an IPv4 address', () => {
  test.each(inside)('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(outside)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('an IPv6 address', () => {
  test.each([
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    '64:ff9b:1::808:808',
    '4000::1',
    'not an address',
    '',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(['2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2001:4860:4860::8888'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test('is as public as the IPv4 address in it', () => {
    const octet = fc.nat(255);
    const anywhere = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
    fc.assert(
      fc.property(fc.oneof(anywhere, fc.constantFrom(...inside, ...outside)), (ipv4) => {
        const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
        const groups = [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');
        const forms = [
          `::ffff:${ipv4}`,
          `::ffff:${groups}`,
          `0:0:0:0:0:FFFF:${groups}`,
          `64:ff9b::${ipv4}`,
          `2002:${groups}::1`,
          `::${ipv4}`,
        ];
        for (const form of forms) {
          expect([form, isPublicAddress(form)]).toEqual([form, isPublicAddress(ipv4)]);
          expect([form, isMetadataAddress(form)]).toEqual([form, isMetadataAddress(ipv4)]);
        }
      }),
    );
  });
});

test.each([
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  'fe80::1%2',
  'fd00:ec2::254',
  'fd20:ce::254',
])('%s is a metadata address', (address) => {
  expect(isMetadataAddress(address)).toBe(true);
});

test.each(['127.0.0.1', '10.0.0.1', 'fd00::1', '::1', '8.8.8.8'])('%s is not a metadata address', (address) => {
  expect(isMetadataAddress(address)).toBe(false);
});

test.each([
  ['http://2130706433/', '127.0.0.1'],
  ['http://0x7f.1/', '127.0.0.1'],
  ['http://0177.0.0.1/', '127.0.0.1'],
  ['http://127.0.0.1./', '127.0.0.1'],
  ['http://①②⑦.0.0.1/', '127.0.0.1'],
  ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
])('the address in %s is %s', (url, address) => {
  expect(literalAddress(new URL(url))).toBe(address);
});

test('a final dot does not make another host', () => {
  expect(hostOf(new URL('https://LocalHost./'))).toBe('localhost');
});
