/** Logs of sales on Ethereum, by the hash of their transaction, and of LooksRare v1 on Rinkeby. */

interface SaleLog {
  topics: string[];
  data: string;
}

/** Words of 32 bytes without leading zeros. */
function words(...values: string[]): string {
  return `0x${values.map((value) => value.padStart(64, "0")).join("")}`;
}

const word = (value: string): string => words(value);

/** 0xc10e943c243ff056278991efbd5221d4042a7515f2ef06cab25dfce03acc1a4b */
export const BLUR_V1: SaleLog = {
  topics: [
    "0x61cbb2a3dee0b6064c2e681aadd61677fb4ef319f0b547508d495626f5a62f64",
    word("3d606dd3a1b8e2519f9f955439e52184d4c80fa3"),
    word("4aee91e7d6c6e0c4c0ec10b9757b8d19ab7f427c"),
  ],
  data: words(
    "80",
    "ec7ddc6fdbc5bf498dfee48f89f54e07f65d009650dfdbe8e63bdaca86f68529",
    "2c0",
    "592b3d6545002be4cf3843626d36de5064519c531c66130f5811f7f3c999aa1a",
    "3d606dd3a1b8e2519f9f955439e52184d4c80fa3",
    "1",
    "dab4a563819e8fd93dba3b25bc3495",
    "60e4d786628fea6478f785a6d7e704777c86a7c6",
    "3466",
    "1",
    "0",
    "c1deb315b7408000",
    "63d3576d",
    "63dc91ed",
    "1a0",
    "8d88f2b78d2be0e687ac7ac6d60edc1",
    "200",
    "1",
    "32",
    "a858ddc0445d8131dac4d1de01f834ffcba52ef1",
    "1",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "4aee91e7d6c6e0c4c0ec10b9757b8d19ab7f427c",
    "0",
    "dab4a563819e8fd93dba3b25bc3495",
    "60e4d786628fea6478f785a6d7e704777c86a7c6",
    "3466",
    "1",
    "0",
    "c1deb315b7408000",
    "63d3576e",
    "63d365f8",
    "1a0",
    "d87b7d4a408d7f682088aec27ae7dbad",
    "1c0",
    "0",
    "1",
    "0100000000000000000000000000000000000000000000000000000000000000",
  ),
};

/** 0xc199fd412393246039e22dcd70a8231bad64acee868b4e08349f9ec6509284d5 */
export const BLUR_V2: SaleLog = {
  topics: ["0x1d5e12b51dee5e4d34434576c3fb99714a85f57b0fd546ada4b0bddd736d12b2"],
  data: words(
    "21b7d4ae06f010118c4c4e976182504160a6ad111f471ea8df38ad045ff7fa40",
    "20060083fa03a1747aafe4e0f0ec3880740f49d74f1158",
    "354a6ba7a18000789e35a999c443fe6089544056f728239b8ffee7",
  ),
};

/** 0x6e3baa0eedd5b4e14d2ffd751afee23fc64066b89e6eb5725a12fd0e9e334331 */
export const BLUR_V2_MAKER_FEE: SaleLog = {
  topics: ["0x7dc5c0699ac8dd5250cbe368a2fc3b4a2daadb120ad07f6cccea29f83482686e"],
  data: words(
    "5d5a001f37e18c020eddbd9e25fd98dabfe3f0a3d263b841dd2a7891f9eb6f25",
    "ae70027aced470e1e232babf2da93a78269bb5739c48c",
    "61b31ab352c00006c952af158ec8d0fd94908e389c084394d9aebbb",
    "3229ffea86733d7feac7c353343f300e99b8910c77",
  ),
};

/** 0x9858aed50bafc8f95241730d1a43b66fffb5d8e9b95a2a89917d74f73ce65771 */
export const BLUR_V2_TAKER_FEE: SaleLog = {
  topics: ["0x0fcf17fac114131b10f37b183c6a60f905911e52802caeeb3e6ea210398b81ab"],
  data: words(
    "ac3680a1ab578def3e4473c47ed80aa51b9bc3046cf80585a56f9a485f8e89",
    "dff001e863363f0aea30d45bc4224783b48cdd1f3d90d",
    "010000000b1a2bc2ec5000006339e5e072086621540d0362c4e3cea0d643e114",
    "32c8f8e2f59dd95ff67c3d39109eca2e2a017d4c8a",
  ),
};

/** 0xaa660644e4021d5f5435a13dd229ad3ee87ee792a91d30ed7a95a6f358561f7c */
export const X2Y2_SALE: SaleLog = {
  topics: [
    "0x3cbb63f144840e5b1b0a38a7c19211d2e89de4d7c5faf8b2d3c1776c302d1d33",
    "0x335224567e1d71cd2cd6fb92fbf6621a783ba5e43a663dc622e53f489a4af7bb",
  ],
  data: words(
    "aa1cc5543c558524c3db21d219fcee58af054f2c",
    "b6103b35c1dfcfbc66aa6aa59e5dec376b79dd6a",
    "b9974470fb5a1c05c98ba28a6f33f84c",
    "19a9fd5890b2e",
    "1",
    "1",
    "6237c7df",
    "0",
    "160",
    "180",
    "260",
    "0",
    "354a6ba7a18000",
    "40",
    "80",
    "20",
    "1",
    "22c1f6050e56d2876009903609a2cc3fef83b415",
    "3964",
    "1",
    "0",
    "0",
    "354a6ba7a18000",
    "335224567e1d71cd2cd6fb92fbf6621a783ba5e43a663dc622e53f489a4af7bb",
    "f849de01b080adc3a814fabe1e2087475cf2e354",
    "160",
    "0",
    "0",
    "0",
    "180",
    "0",
    "1",
    "4e20",
    "99ba539cde20ff8b87b18460024a9e3acc9e025",
  ),
};

/** 0xe85c6a8cbfba715d219495702f038dc6cedcd57313cc51126ee65bdc7603078b */
export const X2Y2_OFFER: SaleLog = {
  topics: [
    "0x3cbb63f144840e5b1b0a38a7c19211d2e89de4d7c5faf8b2d3c1776c302d1d33",
    "0x564256d317d839a379a80a4e1616684f5a1eee34e9e27cbe438207965bcc484b",
  ],
  data: words(
    "b2f4fd60e80b5eccbcb8c80e923c31b0aaab8e24",
    "bfa30bbe5a9e5d252a92a8cc126691bba0e7a433",
    "979605db8b47177f7951b1c5fe0c3b7f",
    "2782efb93bf9a",
    "3",
    "1",
    "6337d8ac",
    "c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    "160",
    "180",
    "260",
    "0",
    "2c68af0bb140000",
    "40",
    "80",
    "20",
    "1",
    "709d30f1f60f03d85a0ef33142ef3259392dc9e1",
    "2c1",
    "2",
    "0",
    "0",
    "2c68af0bb140000",
    "564256d317d839a379a80a4e1616684f5a1eee34e9e27cbe438207965bcc484b",
    "f849de01b080adc3a814fabe1e2087475cf2e354",
    "160",
    "0",
    "0",
    "0",
    "180",
    "0",
    "1",
    "1388",
    "d823c605807cc5e6bd6fc0d7e4eea50d3e2d66cd",
  ),
};

/** A purchase by a contract that forwards the token to its caller. */
export const LOOKSRARE_V1_PURCHASE: SaleLog = {
  topics: [
    "0x95fb6205e23ff6bda16a2d1dba56b9ad7c783f67c96fa149785052f47696f2be",
    word("83c8f28c26bf6aaca652df1dbbe0e1b56f8baba2"),
    word("9b5ac41ebd9f079cda878f41d4d7ad32c22ac486"),
    word("56244bb70cbd3ea9dc8007399f61dfc065190031"),
  ],
  data: words(
    "1564ad0588e637597a0f3b3e28ab0afa511557ebcc3ed2de512059749f83c60c",
    "3a",
    "c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    "8dcb8b2d721c022552d826f8bcf2995747248d31",
    "816",
    "1",
    "11dfe52d06b4000",
  ),
};

/** On Rinkeby. */
export const LOOKSRARE_V1_OFFER: SaleLog = {
  topics: [
    "0x68cd251d4d267c6e2034ff0088b990352b97b2002c0476587d0c4da889c11330",
    word("47921676a46ccfe3d80b161c7b4ddc8ed9e716b6"),
    word("6c8ba1dafb22eae61e9cd3da724cbc3d164c27b9"),
    word("732319a3590e4fa838c111826f9584a9a2fdea1a"),
  ],
  data: words(
    "a04ce3cc6721c3a7882a76705f77b4ce17a006b7cec01ac5a033f36f08184772",
    "1",
    "c778417e063141139fce010982780140aa0cd5ab",
    "0fa6a99c66085b25552930be7961d8928061a842",
    "47921676a46ccfe3d80b161c7b4ddc8ed9e716b6000000000000000000000001",
    "1",
    "470de4df820000",
  ),
};

/** Wyvern v2: the transfer and the match, in this order. */
export const WYVERN_TRANSFER: SaleLog = {
  topics: [
    "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    word("2e73e34c50607b8fdff70323fa3279f41a522957"),
    word("9b00ccfda8368fc0955542ff3dac45824129113b"),
    word("1747"),
  ],
  data: "0x",
};
export const WYVERN_MATCH: SaleLog = {
  topics: [
    "0xc4109843e0b7d514e4c093114b863f8e7d8d9a458c372cd51bfe526b588006c9",
    word("2e73e34c50607b8fdff70323fa3279f41a522957"),
    word("9b00ccfda8368fc0955542ff3dac45824129113b"),
    word("0"),
  ],
  data: words("0", "4444001a5b46149a3f7bac1d595461948c376c849bf853c4991ec382efdd77d6", "de0b6b3a7640000"),
};
