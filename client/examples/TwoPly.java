// Looks two plies ahead in connect four (on any board); other games it plays at random. Java 17 alone is needed.
//
//     java TwoPly.java ws://HOST:8765/play ana [OPPONENT [GAME]]
//
// With your token in the variable PALESTRA_TOKEN you play as yourself, without it as a guest of the name "ana".

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

public class TwoPly implements WebSocket.Listener {
    static final Set<Integer> FOR_GOOD = Set.of(1000, 1008, 1009, 4003, 4004, 4009);
    static final Random RANDOM = new Random();
    static final HttpClient HTTP = HttpClient.newHttpClient();

    final String url, token, name, opponent, game;
    String session;
    StringBuilder text = new StringBuilder();
    CompletableFuture<Integer> closed;

    TwoPly(String url, String token, String name, String opponent, String game) {
        this.url = url;
        this.token = token;
        this.name = name;
        this.opponent = opponent;
        this.game = game;
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length > 0 && args[0].equals("--test")) {
            test();
            return;
        }
        String token = System.getenv().getOrDefault("PALESTRA_TOKEN", "");
        new TwoPly(
                args.length > 0 ? args[0].replaceFirst("^(wss?://[^/]+)/?$", "$1/play") : "ws://127.0.0.1:8765/play",
                token,
                args.length > 1 ? args[1] : "two-ply-java",
                args.length > 2 ? args[2] : null,
                args.length > 3 ? args[3] : "connect4").run();
    }

    // --- the search ---------------------------------------------------------------------------------------------

    /** A board of connect four: one list of cells, the bottom row first; 0 is empty, 1 and 2 are the players. */
    record Board(int rows, int cols, int[] cells, int last) {
        Board drop(int column, int player) {
            int[] after = cells.clone();
            int place = column;
            while (after[place] != 0) place += cols;
            after[place] = player;
            return new Board(rows, cols, after, place);
        }

        boolean open(int column) {
            return cells[(rows - 1) * cols + column] == 0;
        }

        /** Whether the piece that was dropped last completes a line of four. */
        boolean won() {
            int[][] directions = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
            for (int[] d : directions) if (run(d[0], d[1]) + run(-d[0], -d[1]) >= 3) return true;
            return false;
        }

        private int run(int down, int right) {
            int length = 0, r = last / cols + down, c = last % cols + right;
            while (r >= 0 && r < rows && c >= 0 && c < cols && cells[r * cols + c] == cells[last]) {
                length++;
                r += down;
                c += right;
            }
            return length;
        }
    }

    @SuppressWarnings("unchecked")
    static int choose(Map<String, Object> turn) {
        List<Object> legal = (List<Object>) turn.get("legal");
        Map<String, Object> state = (Map<String, Object>) turn.get("state");
        if (!state.containsKey("cells") || state.containsKey("round")) {
            return number(legal.get(RANDOM.nextInt(legal.size())));
        }
        int[] cells = ((List<Object>) state.get("cells")).stream().mapToInt(TwoPly::number).toArray();
        Board board = new Board(number(state.get("rows")), number(state.get("cols")), cells, -1);
        int me = number(turn.get("seat")) + 1, best = -1;
        double most = Double.NEGATIVE_INFINITY;
        for (Object each : legal) {
            double value = value(board, number(each), me);
            if (value > most) {
                most = value;
                best = number(each);
            }
        }
        return best;
    }

    static double value(Board board, int column, int me) {
        Board mine = board.drop(column, me);
        if (mine.won()) return 1000;
        for (int reply = 0; reply < board.cols(); reply++) {
            if (mine.open(reply) && mine.drop(reply, 3 - me).won()) return -1000;
        }
        return -Math.abs(column - (board.cols() - 1) / 2.0);
    }

    /** `java TwoPly.java --test` tries the search on two positions. */
    static void test() {
        Object legal = List.of(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
        for (String[] wanted : new String[][] {{"1110200", "3"}, {"2220010", "3"}}) {
            List<Object> cells = new ArrayList<>();
            for (char cell : (wanted[0] + "0".repeat(35)).toCharArray()) cells.add((double) (cell - '0'));
            Map<String, Object> state = Map.of("rows", 6.0, "cols", 7.0, "cells", cells);
            int found = choose(Map.of("state", state, "legal", legal, "seat", 0.0));
            if (found != Integer.parseInt(wanted[1])) throw new AssertionError("on " + wanted[0] + " it plays " + found);
        }
        System.out.println("ok: it takes a win and stops one");
    }

    // --- the connection -----------------------------------------------------------------------------------------

    /** Plays until the server ends it for good; connects again when the connection breaks. */
    void run() throws InterruptedException {
        double pause = 1.0;
        while (true) {
            int code = 1006;
            try {
                closed = new CompletableFuture<>();
                HTTP.newWebSocketBuilder().subprotocols("palestra.v1.json").buildAsync(URI.create(url), this).join();
                code = closed.join();
                pause = 1.0;
            } catch (CompletionException error) {
                System.err.println(url + ": no connection (" + error.getCause() + ")");
            }
            if (FOR_GOOD.contains(code)) {
                System.out.println("closed: " + code);
                return;
            }
            Thread.sleep((long) (1000 * pause * (0.5 + RANDOM.nextDouble())));
            pause = Math.min(pause + 1, 3);
        }
    }

    @Override
    public void onOpen(WebSocket socket) {
        text.setLength(0);
        String resume = session == null ? "null" : quoted(session);
        String who = name == null ? "null" : quoted(name);
        send(socket, "{\"type\":\"hello\",\"client\":\"two-ply-java/1\",\"token\":" + quoted(token)
                + ",\"name\":" + who + ",\"resume\":" + resume + "}");
        socket.request(1);
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
        text.append(part);
        if (last) {
            Map<String, Object> message = new Json(text.toString()).object();
            text.setLength(0);
            received(socket, message);
        }
        socket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
        closed.complete(code);
        return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
        closed.complete(1006);
    }

    @SuppressWarnings("unchecked")
    void received(WebSocket socket, Map<String, Object> m) {
        switch ((String) m.get("type")) {
            case "welcome" -> {
                System.out.println("I am " + m.get("player"));
                if (session == null && opponent != null) {
                    send(socket, "{\"type\":\"challenge\",\"wait\":true,\"opponent\":" + quoted(opponent)
                            + ",\"game\":" + quoted(game) + "}");
                }
                session = (String) m.get("session");
            }
            case "match_start" -> {
                Map<String, Object> at = (Map<String, Object>) m.get("at");
                if (at == null) {
                    send(socket, "{\"type\":\"ready\",\"match\":" + quoted((String) m.get("match")) + "}");
                } else {
                    elsewhere((String) at.get("url"), (String) at.get("ticket"));
                }
            }
            case "turn" -> send(socket, "{\"type\":\"action\",\"match\":" + quoted((String) m.get("match"))
                    + ",\"ply\":" + number(m.get("ply")) + ",\"action\":" + choose(m) + "}");
            case "match_end" -> System.out.println(
                    m.get("match") + ": " + m.get("returns") + " (" + m.get("reason") + ") " + m.get("detail"));
            case "error" -> System.err.println(m.get("code") + ": " + m.get("message"));
            case "notice" -> System.out.println(m.get("message"));
            default -> { }
        }
    }

    void elsewhere(String url, String ticket) {
        Thread thread = new Thread(() -> {
            try {
                new TwoPly(url, ticket, null, null, game).run();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    static void send(WebSocket socket, String message) {
        socket.sendText(message, true).join();
    }

    // --- JSON, as much of it as is needed -----------------------------------------------------------------------

    static int number(Object value) {
        return ((Double) value).intValue();
    }

    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\');
            out.append(c < ' ' ? String.format("\\u%04x", (int) c) : c);
        }
        return out.append('"').toString();
    }

    static class Json {
        private final String text;
        private int at;

        Json(String text) {
            this.text = text;
        }

        @SuppressWarnings("unchecked")
        Map<String, Object> object() {
            return (Map<String, Object>) value();
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        private Object value() {
            switch (next()) {
                case '{': {
                    Map<String, Object> map = new LinkedHashMap<>();
                    for (at++; next() != '}'; ) {
                        if (next() == ',') at++;
                        next();
                        String key = string();
                        next();
                        at++; // the colon
                        map.put(key, value());
                    }
                    at++;
                    return map;
                }
                case '[': {
                    List<Object> list = new ArrayList<>();
                    for (at++; next() != ']'; ) {
                        if (next() == ',') at++;
                        list.add(value());
                    }
                    at++;
                    return list;
                }
                case '"':
                    return string();
                default: {
                    int from = at;
                    while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) at++;
                    String word = text.substring(from, at);
                    return word.equals("null") ? null
                            : word.equals("true") ? (Object) true : word.equals("false") ? (Object) false
                            : (Object) Double.valueOf(word);
                }
            }
        }

        private String string() {
            StringBuilder out = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c == '\\') {
                    c = text.charAt(++at);
                    if (c == 'u') {
                        c = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else {
                        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c == 'f' ? '\f' : c;
                    }
                }
                out.append(c);
            }
            at++;
            return out.toString();
        }
    }
}
